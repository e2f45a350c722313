// Compares published lists with a set-up file, by kind and address.

import { isSameSoleType } from '../../../core/verifications/domain/provable.ts'
import { millisecondsOf } from '../../../platform/world.ts'
import {
  importTrustList,
  isOfSameSigner,
  type Owner,
  removeTrustList,
  revokeGrant,
  soleTypeProblem,
  type TrustList,
  typesProblem,
} from '../../trust/index.ts'
import { trustListIdentity } from '../domain/read-trust.ts'
import type { TrustListEntry, TrustSetup } from '../domain/setup.ts'
import { ChangeRefused, noteProblem, type PlannedChange, type Planning } from './planned-change.ts'
import { readAllTrust } from './read-installation.ts'

/** Ignores lists that were read from a file, and lists that tenants imported themselves. */
export function planTrustLists(
  planning: Planning,
  { environment }: Owner,
  entries: TrustSetup['trustLists'],
  known: readonly TrustList[],
): PlannedChange[] {
  if (entries === null) return []
  const named = new Set(entries.map(trustListIdentity))
  const others = planning.prune ? known.filter((one) => !named.has(trustListIdentity(one))) : []
  const changes = entries.flatMap((entry) => {
    const problem = typesProblem(entry.types) ?? soleTypeProblem(entry.sole ?? null, entry.types)
    if (problem !== null) noteProblem(planning, entry.path, problem.problem)
    const alike = known.filter((one) => trustListIdentity(one) === trustListIdentity(entry))
    // The last that was loaded: an operator may have imported the list again because its numbers start again.
    const [kept] = alike.filter((one) => isAs(entry, one)).toSorted((one, other) => loadedMs(other) - loadedMs(one))
    const replaced = alike.filter((one) => one !== kept)
    if (kept !== undefined) return replaced.map((one) => listRemoved(planning, one, ({ id }) => id === kept.id))
    return [listImported(planning, environment, entry, { replaced, others })]
  })
  // Removals come last, so that a list with a new address is imported before the old one is removed.
  const isMoved = (one: TrustList) => (list: TrustList) =>
    named.has(trustListIdentity(list)) &&
    list.providers === (one.providers ?? list.providers) &&
    isOfSameSigner(one, list)
  return [...changes, ...others.map((one) => listRemoved(planning, one, isMoved(one)))]
}

/** 0 if it vouches for nothing. */
const loadedMs = ({ loadedAt, nextUpdateAt }: TrustList) =>
  loadedAt === null || nextUpdateAt === null ? 0 : millisecondsOf(loadedAt)

const isAs = (entry: TrustListEntry, list: TrustList) =>
  isSameSoleType(entry.sole ?? null, list.sole ?? null) &&
  isSignedAlike(entry, list) &&
  entry.providers === list.providers &&
  entry.types.join(' ') === list.types.toSorted().join(' ')

type Signed = Pick<TrustList, 'signer' | 'signerAuthority'>

export const isSignedAlike = (one: Signed, other: Signed) =>
  isSame(one.signer, other.signer) && isSame(one.signerAuthority, other.signerAuthority)

const isSame = (one: Uint8Array | null, other: Uint8Array | null) =>
  one === null || other === null ? one === other : Buffer.from(one).equals(Buffer.from(other))

/**
 * Imports the list with the new terms before removing earlier imports, because the new import must learn their keys. If
 * the list cannot be fetched, earlier imports with a wider grant or of another kind lose it and stay only for their
 * keys. Otherwise the owner of the old signer's key could block the new import. Imports of an unknown kind may be of
 * the right one.
 */
function listImported(
  planning: Planning,
  environment: Owner['environment'],
  entry: TrustListEntry,
  { replaced, others }: { readonly replaced: readonly TrustList[]; readonly others: readonly TrustList[] },
): PlannedChange {
  const { kind, providers, source, signer, signerAuthority, types, sole = null } = entry
  const within = replaced.filter(
    (one) =>
      isSignedAlike(entry, one) &&
      (one.providers ?? providers) === providers &&
      one.types.every((type) => types.includes(type)) &&
      (one.sole === undefined || isSameSoleType(one.sole, sole)),
  )
  const beyond = replaced.filter((one) => !within.includes(one) && one.types.length > 0)
  return {
    action: replaced.length === 0 ? 'add' : 'change',
    what: 'trust list',
    environment,
    name: source,
    details: `${kind} of ${providers}: ${types.join(' ')}`,
    async carryOut(deps, tenantId) {
      const owner = { tenantId, environment }
      const terms = { kind, providers, source, file: null, signer, signerAuthority, types, sole }
      // Also those that --prune removes: the list may have a new address.
      const earlier = [...replaced, ...others]
      const done = await importTrustList(deps, { owner, ...terms, replaced: earlier, actor: planning.actor })
      if (done.outcome === 'refused') {
        for (const one of beyond)
          await revokeGrant(deps, one, { actor: planning.actor, mismatched: one.providers !== providers })
        const ended = beyond.length === 0 ? '' : '; the earlier import with other terms is no longer used'
        throw new ChangeRefused(`${done.problem}${ended}`)
      }
      const by = { realm: null, actor: planning.actor }
      for (const { id } of replaced) await removeTrustList(deps, id, by, { id: done.id, tenantId })
      return {}
    },
  }
}

/** A list that was removed in the meantime is not an error. */
function listRemoved(planning: Planning, list: TrustList, isSuccessor: (list: TrustList) => boolean): PlannedChange {
  const { id, environment, source, kind, types } = list
  return {
    action: 'remove',
    what: 'trust list',
    environment,
    name: source,
    details: `${kind}: ${types.join(' ')}`,
    async carryOut(deps) {
      const successor = (await readAllTrust(deps))(list).trustLists.find(isSuccessor)
      await removeTrustList(deps, id, { realm: null, actor: planning.actor }, successor)
      return {}
    },
  }
}
