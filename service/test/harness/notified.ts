// Waits until a service has received every notification sent so far.

import { randomUUID } from 'node:crypto'
import type { TestService } from './service.ts'
import { within } from './wait.ts'

const CHANNEL = 'test_notified'

export async function allNotified({ deps }: Pick<TestService, 'deps'>): Promise<void> {
  const last = randomUUID()
  const received = Promise.withResolvers<void>()
  const stop = await deps.db.listen(CHANNEL, (payload) => {
    if (payload === last) received.resolve()
  })
  await deps.db.query({ name: 'test_notify', text: 'select pg_notify($1, $2)' }, [CHANNEL, last])
  await within('the notification is received', received.promise)
  await stop()
}
