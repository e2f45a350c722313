// One way to spoil a presentation, and the one check that must catch it.

import type { JsonObject } from '../src/encoding/json.ts'
import type { Channel, Trial, World } from './world.ts'

export interface Mutation {
  /** The case in docs/protocol/: N… of the catalogue, V… of our own, T… of transaction data. */
  readonly id: string
  readonly title: string
  readonly format: 'dc+sd-jwt' | 'mso_mdoc' | 'envelope' | 'vp_token'
  /**
   * The first check that fails, by its stable name; 'malformed' where the response must not even become a presentation;
   * 'query_not_satisfied' where the vp_token as a whole is refused, 'transaction_not_confirmed' where each credential is fine
   * and together they do not agree to what was asked; 'accepted' where this must pass.
   */
  readonly expectedCheck: string
  readonly positive?: true
  /** The channels on which it means something, where that is not all of them. */
  readonly only?: readonly Channel['kind'][]
  /** Checks that cannot but fail together with the expected one. */
  readonly alsoFails?: readonly string[]
  /** What a positive case must yield, credential by credential, where that is the point of it. */
  readonly claims?: readonly JsonObject[]
  /** A check that an accepted credential must carry as a warning. */
  readonly warning?: string
  readonly make: (world: World) => Trial | Promise<Trial>
}
