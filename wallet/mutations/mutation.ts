// Defines a mutation: one change to a presentation, and the one check that must catch it.

import type { JsonObject } from '../src/encoding/json.ts'
import type { Channel, Trial, World } from './world.ts'

export interface Mutation {
  /** The case in docs/protocol/: N… of the catalogue, V… of our own, T… of transaction data. */
  readonly id: string
  readonly title: string
  readonly format: 'dc+sd-jwt' | 'mso_mdoc' | 'envelope' | 'vp_token'
  /**
   * The first check that fails, by its stable name. 'malformed': the response must not become a presentation.
   * 'query_not_satisfied': the vp_token is refused as a whole. 'transaction_not_confirmed': each credential is valid, but together
   * they do not confirm the transaction. 'accepted': it must pass.
   */
  readonly expectedCheck: string
  readonly positive?: true
  /** The channels that the mutation applies to; absent: all. */
  readonly only?: readonly Channel['kind'][]
  /** Checks that necessarily fail together with the expected one. */
  readonly alsoFails?: readonly string[]
  /** The claims that a positive case must give for each credential; absent: they are not compared. */
  readonly claims?: readonly JsonObject[]
  /** The warnings that an accepted credential must have. */
  readonly warnings?: readonly string[]
  readonly make: (world: World) => Trial | Promise<Trial>
}
