// Accepts each DPoP proof once (RFC 9449), only from authenticated clients and for valid tokens.

import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { instantOf } from '../../../platform/world.ts'
import type { OidcClient } from '../domain/client.ts'
import { type DpopCall, type DpopProof, readProof } from '../domain/dpop.ts'
import { OidcFailure } from '../domain/failure.ts'
import { insertAssertion } from '../store/clients.ts'

type Needs = Pick<Deps, 'db' | 'clock'>

/** Throws OidcFailure. */
export async function acceptProof(deps: Needs, client: OidcClient, call: Omit<DpopCall, 'nowMs'>): Promise<DpopProof> {
  const proof = readProof({ ...call, nowMs: deps.clock.now() })
  if (!(await useProof(deps.db, client, proof))) throw new OidcFailure('invalid_dpop_proof')
  return proof
}

/** False if the proof was used before. */
export const useProof = (tx: Tx, client: OidcClient, { hash, expiresAtMs }: DpopProof): Promise<boolean> =>
  insertAssertion(tx, client, { clientId: client.id, hash, expiresAt: instantOf(expiresAtMs) })
