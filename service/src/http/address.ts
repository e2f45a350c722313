// Where a request comes from, and as whose it is counted.

import type { Deps } from '../deps.ts'
import { addressBytes, contains } from '../domain/cidr.ts'

/** IPv6 by /64: a single customer has that many addresses. Some have a /48. */
export function addressBucket(ip: string, prefix: 48 | 64 = 64): string {
  const mapped = mappedIPv4(ip)
  if (mapped !== undefined || !ip.includes(':')) return mapped ?? ip
  const bytes = addressBytes(ip)
  return bytes === null ? ip : `${Buffer.from(bytes.subarray(0, prefix / 8)).toString('hex')}/${prefix}`
}

export function isTrustedProxy(deps: Pick<Deps, 'config'>, address: string): boolean {
  const bytes = addressBytes(mappedIPv4(address) ?? address)
  return bytes !== null && deps.config.trustedProxies.some((cidr) => contains(cidr, bytes))
}

const mappedIPv4 = (ip: string) => /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
