// Sets the kind of providers of an imported list, and reads the list again.

import type { ListProviders } from '@vidimus/engine'
import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import { isAddress, type TrustList } from '../domain/anchor.ts'
import { providersProblem } from '../domain/list-providers.ts'
import { deleteAnchorsOfList } from '../store/anchors.ts'
import { listTrustLists, setListProviders } from '../store/trust-lists.ts'
import { AT_THE_COMMAND_LINE, aboutList } from './import-trust-list.ts'
import type { ListNeeds } from './load-trust-list.ts'
import { refreshList } from './refresh-trust-lists.ts'

type ProvidersSet =
  | { readonly outcome: 'set'; readonly list: TrustList }
  | { readonly outcome: 'refused'; readonly problem: string }

/**
 * Anchors that were read as another kind are deleted at once, because a list of that kind would not have been granted
 * these types. Anchors of a list whose kind was unknown stay until a list of the kind that is set has loaded.
 */
export async function setProviders(
  deps: ListNeeds & Pick<Deps, 'audit'>,
  { id, providers }: { readonly id: string; readonly providers: ListProviders },
): Promise<ProvidersSet> {
  const known = await findList(deps, id)
  if (known === null) return { outcome: 'refused', problem: `there is no list ${id}` }
  if (known.types.length === 0) return { outcome: 'refused', problem: WITHOUT_GRANT }
  const problem = isAddress(known.source)
    ? providersProblem(providers, known)
    : 'the list was read from a file: import the file again with --providers, then forget this one'
  if (problem !== null) return { outcome: 'refused', problem }
  const now = instantOf(deps.clock.now())
  const changed = await deps.db.transaction(async (tx) => {
    const list = await setListProviders(tx, known, providers)
    if (list === null) return null
    if (list.nextUpdateAt === null) await deleteAnchorsOfList(tx, list)
    const event = { action: 'trust_list.changed', actor: AT_THE_COMMAND_LINE, ...aboutList(list) } as const
    await deps.audit.record(tx, list, { now, ...event })
    return list
  })
  deps.anchors.forget()
  if (changed !== null) await refreshList(deps, changed)
  const list = await findList(deps, id)
  return list === null ? { outcome: 'refused', problem: `there is no list ${id}` } : { outcome: 'set', list }
}

const WITHOUT_GRANT =
  'the list has lost its grant and is not read again: apply the set-up file again, or import the list and forget this one'

const findList = async ({ db }: Pick<Deps, 'db'>, id: string) =>
  (await listTrustLists(db)).find((list) => list.id === id) ?? null
