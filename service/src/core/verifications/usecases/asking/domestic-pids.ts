// Adds domestic PID types to the query of a built-in template at creation, so that offers and checks use one query.

import { asksForPid, type DcqlQuery, domesticPidTypes, nameDomesticPids } from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { coversQuery } from '../../../registrations/domain/over-asking.ts'
import type { Registration } from '../../../registrations/domain/registration.ts'
import type { Realm } from '../../../tenants/domain/realm.ts'

/** Adds only types that are also registered, because wallets warn about others. null if there are none. */
export async function withDomesticPids(
  { anchors, clock }: Pick<Deps, 'anchors' | 'clock'>,
  realm: Realm,
  query: DcqlQuery,
  registration: Registration | null,
): Promise<DcqlQuery | null> {
  if (!asksForPid(query)) return null
  const vouched = vouchedTypes(await anchors.find(realm, clock.now()))
  const candidates = vouched.filter(registeredTypeFilter(registration)).slice(0, CANDIDATES_MAX)
  const types: string[] = []
  for (const type of candidates)
    if (isRegistered(nameDomesticPids(query, [...types, type]), registration)) types.push(type)
  return types.length === 0 ? null : nameDomesticPids(query, types)
}

/** Owners of a tenant can add a thousand types, and every creation tries them. */
const CANDIDATES_MAX = 50

function registeredTypeFilter(registration: Registration | null): (type: string) => boolean {
  if (registration === null) return () => true
  const types = new Set(registration.certificate.credentials.flatMap((credential) => credential.types))
  return (type) => types.has(type)
}

const isRegistered = (query: DcqlQuery, registration: Registration | null) =>
  registration === null || coversQuery(query, registration.certificate.credentials)

/** Keyed by the list of anchors, which stays the same array while nothing changes. */
const known = new WeakMap<readonly object[], readonly string[]>()

function vouchedTypes(anchors: Parameters<typeof domesticPidTypes>[0]): readonly string[] {
  const types = known.get(anchors) ?? domesticPidTypes(anchors)
  known.set(anchors, types)
  return types
}
