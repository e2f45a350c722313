// Checks that a tenant controls a page: the host of the page must show the token that we issued.

import type { PROOFS } from '../../../../../../wire/values/origins.ts'
import type { AuditActor } from '../../../../core/ports/audit.ts'
import { type Origin, PROOF_PATH, showsToken } from '../../../../core/tenants/domain/origin.ts'
import type { Realm } from '../../../../core/tenants/domain/realm.ts'
import { leaseOriginCheck, loadOrigin, setOriginProof } from '../../../../core/tenants/store/origins.ts'
import type { Deps } from '../../../../deps.ts'
import { type Egress, request } from '../../../../platform/egress/client.ts'
import { instantOf } from '../../../../platform/world.ts'
import { aboutOrigin } from './manage-origins.ts'

/** Enough for the lines of many tenants and environments. */
const PROOF_BYTES_MAX = 16 * 1024
const PROOF_TOTAL_MS_MAX = 10_000
/** Limits how often a caller can make us send requests to a host. */
const CHECK_PAUSE_MS = 10_000

export type Proof = (typeof PROOFS)[number] | 'not_found'

export async function proveOrigin(
  deps: Pick<Deps, 'db' | 'clock' | 'audit' | 'egress'>,
  input: { readonly realm: Realm; readonly id: string; readonly actor: AuditActor },
): Promise<Proof> {
  const { realm, id, actor } = input
  const origin = await loadOrigin(deps.db, realm, id)
  if (origin === null) return 'not_found'
  // Other kinds of origins need no proof and have no host.
  if (origin.kind !== 'web') return 'proven'
  const nowMs = deps.clock.now()
  const lease = { id, now: instantOf(nowMs), before: instantOf(nowMs - CHECK_PAUSE_MS) }
  if (!(await leaseOriginCheck(deps.db, realm, lease))) return 'too_soon'
  const proof = await checkOrigin(deps.egress[realm.environment], origin)
  if (proof === 'not_reached' || (proof === 'not_shown' && origin.provenAt === null)) return proof
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    if (!(await setOriginProof(tx, realm, { id, provenAt: proof === 'proven' ? now : null }))) return 'not_found'
    const action = proof === 'proven' ? 'origin.proven' : 'origin.unproven'
    await deps.audit.record(tx, realm, { now, actor, action, ...aboutOrigin(origin) })
    return proof
  })
}

/** Does not follow redirects, because a party may be able to redirect from a host that it does not control. */
export async function checkOrigin(
  egress: Egress,
  { origin, token }: Origin,
): Promise<'proven' | 'not_shown' | 'not_reached'> {
  const outcome = await request(egress, {
    method: 'GET',
    url: `${origin}${PROOF_PATH}`,
    headers: { Accept: 'text/plain' },
    bodyBytesMax: PROOF_BYTES_MAX,
    limits: { totalMilliseconds: PROOF_TOTAL_MS_MAX },
  })
  if (outcome.outcome === 'response_too_large') return 'not_shown'
  // A host that is down for a moment keeps its proof.
  if (outcome.outcome !== 'answered' || outcome.status >= 500 || outcome.status === 429) return 'not_reached'
  return outcome.status === 200 && showsToken(outcome.body, token) ? 'proven' : 'not_shown'
}
