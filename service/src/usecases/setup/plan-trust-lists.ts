// Published lists with an address: what differs between a set-up file and what is there. A list is its kind and its address; those that
// were read from a file, or that a tenant's owners imported, are none of the file's business.

import { trustListIdentity } from '../../domain/setup/read-trust.ts'
import type { TrustListEntry, TrustSetup } from '../../domain/setup/setup.ts'
import type { TrustList } from '../../domain/trust/anchor.ts'
import type { Owner } from '../../domain/trust/certificate-use.ts'
import { importTrustList, removeTrustList } from '../trust/import-trust-list.ts'
import { ChangeRefused, type PlannedChange, type Planning, type SetupDeps } from './planned-change.ts'

export function planTrustLists(
  planning: Planning,
  { environment }: Owner,
  entries: TrustSetup['trustLists'],
  known: readonly TrustList[],
): PlannedChange[] {
  if (entries === null) return []
  const named = new Set(entries.map(trustListIdentity))
  const others = planning.prune ? known.filter((one) => !named.has(trustListIdentity(one))) : []
  return [
    ...others.map((one) => listRemoved(planning, one)),
    ...entries.flatMap((entry) => {
      const alike = known.filter((one) => trustListIdentity(one) === trustListIdentity(entry))
      const [kept] = alike.filter((one) => isAs(entry, one))
      const replaced = alike.filter((one) => one !== kept)
      if (kept !== undefined) return replaced.map((one) => listRemoved(planning, one))
      return [listImported(planning, environment, entry, replaced)]
    }),
  ]
}

function isAs(entry: TrustListEntry, list: TrustList): boolean {
  return (
    isSame(entry.signer, list.signer) &&
    isSame(entry.signerAuthority, list.signerAuthority) &&
    entry.types.join(' ') === list.types.toSorted().join(' ')
  )
}

const isSame = (one: Uint8Array | null, other: Uint8Array | null) =>
  one === null || other === null ? one === other : Buffer.from(one).equals(Buffer.from(other))

/** Read now, under the new terms: only then those go that it replaces, so that a list that cannot be had takes nothing away. */
function listImported(
  planning: Planning,
  environment: Owner['environment'],
  { kind, source, signer, signerAuthority, types }: TrustListEntry,
  replaced: readonly TrustList[],
): PlannedChange {
  return {
    action: replaced.length === 0 ? 'add' : 'change',
    what: 'trust list',
    environment,
    name: source,
    details: `${kind}: ${types.join(' ')}`,
    async carryOut(deps, tenantId) {
      const owner = { tenantId, environment }
      const terms = { kind, source, file: null, signer, signerAuthority, types }
      const done = await importTrustList(deps, { owner, ...terms, actor: planning.actor })
      if (done.outcome === 'refused') throw new ChangeRefused(done.problem)
      for (const { id } of replaced) await remove(deps, planning, id)
      return {}
    },
  }
}

function listRemoved(planning: Planning, { id, environment, source, kind, types }: TrustList): PlannedChange {
  return {
    action: 'remove',
    what: 'trust list',
    environment,
    name: source,
    details: `${kind}: ${types.join(' ')}`,
    async carryOut(deps) {
      await remove(deps, planning, id)
      return {}
    },
  }
}

/** One that somebody else removed meanwhile is as it should be. */
async function remove(deps: SetupDeps, { actor }: Planning, id: string): Promise<void> {
  await removeTrustList(deps, id, { realm: null, actor })
}
