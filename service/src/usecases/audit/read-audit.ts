// The audit trail for those who may see it: a page for people, the whole chain as a file, a signed checkpoint of it.

import { createPublicKey } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { checkpointKey, signCheckpoint } from '../../domain/audit/checkpoint.ts'
import { entryHash } from '../../domain/audit/entry.ts'
import { checkpointLine, entryLine, headerLine, type RecordedEntry } from '../../domain/audit/export.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { instantOf } from '../../domain/world.ts'
import { listCheckpoints } from '../../store/audit/checkpoints.ts'
import { loadAuditHead, readEntriesAfter, readEntriesBefore } from '../../store/audit/trail.ts'

const PAGE = 1_000

export interface TrailEntry {
  readonly seq: number
  readonly at: string
  readonly action: string
  readonly actor: { readonly type: string; readonly id: string }
  readonly object: { readonly type: string; readonly id: string }
  /** null: it never had any, or they were erased. */
  readonly details: unknown
}

/** Newest first; `before` is the number of the last entry of the page before. */
export async function readTrail(
  deps: Pick<Deps, 'db'>,
  realm: Realm,
  page: { readonly before: number | null; readonly limit: number },
): Promise<TrailEntry[]> {
  const before = page.before ?? Number.MAX_SAFE_INTEGER
  const entries = await readEntriesBefore(deps.db, realm, { before, limit: page.limit })
  return entries.map(({ seq, entry, details }) => {
    const { at, action, actor, object } = JSON.parse(entry)
    return { seq, at, action, actor, object, details }
  })
}

/** Every entry in order, until none is left. */
export async function* entriesOf(deps: Pick<Deps, 'db'>, realm: Realm): AsyncGenerator<RecordedEntry> {
  let after = 0
  for (;;) {
    const entries = await readEntriesAfter(deps.db, realm, { after, limit: PAGE })
    yield* entries
    if (entries.length < PAGE) return
    after = entries.at(-1)?.seq ?? after
  }
}

/** The lines of an export: entries, the checkpoints that were kept, and one at its end that covers exactly these entries. */
export async function* exportAudit(deps: Pick<Deps, 'db' | 'clock' | 'sealer'>, realm: Realm): AsyncGenerator<string> {
  // Read first: none of them covers an entry that the export has not.
  const kept = await listCheckpoints(deps.db, realm)
  yield headerLine(realm)
  let last: RecordedEntry | null = null
  for await (const entry of entriesOf(deps, realm)) {
    yield entryLine(entry)
    last = entry
  }
  if (last === null) return
  for (const { note } of kept) yield checkpointLine(note)
  const at = instantOf(deps.clock.now())
  const hash = entryHash(Buffer.from(last.entry, 'utf8'))
  yield checkpointLine(signCheckpoint(checkpointKey(deps.sealer), { ...realm, head: { seq: last.seq, hash, at }, at }))
}

/** A signed note over the chain as it stands; null when it has not begun. */
export async function checkpointAudit(
  deps: Pick<Deps, 'db' | 'clock' | 'sealer'>,
  realm: Realm,
): Promise<string | null> {
  const head = await loadAuditHead(deps.db, realm)
  if (head === null || head.seq === 0) return null
  return signCheckpoint(checkpointKey(deps.sealer), { ...realm, head, at: instantOf(deps.clock.now()) })
}

/** Those the service made itself, once a day where the chain grew; oldest first. */
export async function readCheckpoints(
  deps: Pick<Deps, 'db'>,
  realm: Realm,
): Promise<{ readonly seq: number; readonly note: string }[]> {
  return listCheckpoints(deps.db, realm)
}

/** What a verifier outside needs: the public half of the key that checkpoints are signed with, as PEM. */
export function auditPublicKey(deps: Pick<Deps, 'sealer'>): string {
  return createPublicKey(checkpointKey(deps.sealer)).export({ format: 'pem', type: 'spki' }).toString()
}
