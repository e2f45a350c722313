// A port that nobody else has, for what must know its port before it listens.

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export interface HeldPort {
  readonly port: number
  /** Right before the port is used: until then nobody else is given it. */
  release(): Promise<void>
}

/** Of that address, or of all. */
export async function holdPort(host?: string): Promise<HeldPort> {
  const holder = createServer().listen(0, host)
  await once(holder, 'listening')
  // Whoever fails meanwhile must be able to end.
  holder.unref()
  return {
    port: (holder.address() as AddressInfo).port,
    async release() {
      holder.close()
      await once(holder, 'close')
    },
  }
}
