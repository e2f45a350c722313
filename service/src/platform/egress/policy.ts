// Defines the operator's egress policy for each environment: ports, and which addresses are allowed.

import { type Cidr, parseCidr } from '../cidr.ts'
import type { Environment } from '../world.ts'
import type { AddressLists } from './address.ts'

/**
 * Addresses on the allow list may be reached on any port. `live` refuses all other address literals, because a
 * certificate proves a name, and the owner of a name can change its address.
 */
export interface EgressPolicy extends AddressLists {
  readonly environment: Environment
  readonly ports: ReadonlySet<number>
  /** Names of this service itself, lower case. */
  readonly ownHosts: ReadonlySet<string>
  /** Whether internal names, like `vault.svc.cluster.local`, may be reached. */
  readonly allowsInsideNames: boolean
}

export interface EgressSettings {
  readonly environment: Environment
  /** VIDIMUS_EGRESS_ALLOW. */
  readonly allow?: readonly Cidr[]
  /** Public addresses of this service, without those that a receiver may share, such as loopback. */
  readonly ownAddresses?: readonly Cidr[]
  readonly ownHosts?: readonly string[]
  readonly ports?: readonly number[]
}

export const DEFAULT_PORTS: readonly number[] = [80, 443, 8443]

/** Throws if the allow list allows everything: that would turn the guard off. */
export function makePolicy(settings: EgressSettings): EgressPolicy {
  const allow = settings.allow ?? []
  if (allow.some((block) => block.bits === 0)) throw new Error('the egress allow list must not allow everything')
  return {
    environment: settings.environment,
    allow,
    deny: settings.ownAddresses ?? [],
    ownHosts: new Set((settings.ownHosts ?? []).map((host) => host.toLowerCase())),
    ports: new Set(settings.ports ?? DEFAULT_PORTS),
    allowsInsideNames: false,
  }
}

/**
 * For hosts that only the operator can name, such as a key service: any name, address and port. Never for a URL that a
 * tenant or another party chose.
 */
export const OPERATOR_POLICY: EgressPolicy = {
  // `test` allows address literals, because a metadata service has no name.
  environment: 'test',
  allow: ['0.0.0.0/0', '::/0'].map(parseCidr).filter((block) => block !== null),
  deny: [],
  ownHosts: new Set(),
  ports: new Set(DEFAULT_PORTS),
  allowsInsideNames: true,
}
