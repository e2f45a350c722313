// A backup was restored: everything that the exports say was erased or revoked since is so again, and whatever no export speaks for
// is named. A tenant without an export may have anything back.

import type { Deps } from '../../deps.ts'
import { ENVIRONMENTS } from '../../domain/world.ts'
import { listAllTenants } from '../../store/tenants/tenants.ts'
import { type Replay, replayErasures } from '../verifications/forgetting/replay-erasures.ts'

export interface RestoreCheck {
  readonly replays: readonly { readonly name: string; readonly replay: Replay }[]
  /** Tenant and environment that no export was given of. */
  readonly uncovered: readonly string[]
}

export interface NamedExport {
  readonly name: string
  readonly lines: () => AsyncIterable<string>
}

export async function checkRestore(
  deps: Parameters<typeof replayErasures>[0] & Pick<Deps, 'db'>,
  exports: readonly NamedExport[],
): Promise<RestoreCheck> {
  const replays = []
  const covered = new Set<string>()
  for (const { name, lines } of exports) {
    const replay = await replayErasures(deps, lines)
    if (replay.outcome === 'replayed') covered.add(`${replay.realm.tenantId} ${replay.realm.environment}`)
    replays.push({ name, replay })
  }
  const realms = (await listAllTenants(deps.db)).flatMap(({ id }) => ENVIRONMENTS.map((one) => `${id} ${one}`))
  return { replays, uncovered: realms.filter((realm) => !covered.has(realm)) }
}
