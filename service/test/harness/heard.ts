// Waits until a service has heard what was said to it: notifications reach a connection in the order of their commits, so who has
// heard the last has heard all before it.

import { randomUUID } from 'node:crypto'
import type { TestService } from './service.ts'
import { within } from './wait.ts'

const CHANNEL = 'test_heard'

export async function allHeard({ deps }: Pick<TestService, 'deps'>): Promise<void> {
  const last = randomUUID()
  const heard = Promise.withResolvers<void>()
  const stop = await deps.db.listen(CHANNEL, (payload) => {
    if (payload === last) heard.resolve()
  })
  await deps.db.query({ name: 'test_say', text: 'select pg_notify($1, $2)' }, [CHANNEL, last])
  await within('the notification is heard', heard.promise)
  await stop()
}
