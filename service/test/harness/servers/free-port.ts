// A port that nobody else has, for what must know its port before it listens.

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export interface HeldPort {
  readonly port: number
  /** Right before the port is used: until then nobody else is given it. */
  release(): Promise<void>
}

export async function holdPort(): Promise<HeldPort> {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  // A test that fails meanwhile must be able to end.
  holder.unref()
  return {
    port: (holder.address() as AddressInfo).port,
    async release() {
      holder.close()
      await once(holder, 'close')
    },
  }
}
