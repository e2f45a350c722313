// Reserves a free port, for servers that must know their port before they listen.

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export interface ReservedPort {
  readonly port: number
  /** Call right before the port is used. Until then no other process can take the port. */
  release(): Promise<void>
}

/** Reserves a port on this address; default: on all. */
export async function reservePort(host?: string): Promise<ReservedPort> {
  const holder = createServer().listen(0, host)
  await once(holder, 'listening')
  // If the start fails, the reservation must not keep the process alive.
  holder.unref()
  return {
    port: (holder.address() as AddressInfo).port,
    async release() {
      holder.close()
      await once(holder, 'close')
    },
  }
}
