// Reseals all values that are not sealed with the current master key. Can be interrupted and repeated.

import { sealPlainSensitiveFields } from '../../../core/verifications/usecases/forgetting/seal-plain-sensitive-fields.ts'
import type { Deps } from '../../../deps.ts'
import type { Sealing } from '../../../platform/postgres/db.ts'
import { findOtherProcesses } from '../../../platform/postgres/sealing/processes.ts'
import {
  type FoundValue,
  type ResealedValue,
  readSealedRows,
  replaceSealedValues,
} from '../../../platform/postgres/sealing/reseal.ts'
import { keyIdOf } from '../../../platform/seal/seal.ts'
import type { SealedColumn } from '../../../platform/seal/sealed-column.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import { findOpenPairingCodesAcrossTenants } from '../../devices/index.ts'
import { SEALED_COLUMNS } from '../domain/sealed-columns.ts'

/** Small, so that each step is short and few large values are in memory. */
const STEP_ROWS = 200
/** The last pass is the one without changes. Concurrent transactions may make several passes necessary. */
const PASSES_MAX = 5

type Needs = Pick<Deps, 'db' | 'clock'>

interface RotationCounts {
  /** Already sealed with the current key. */
  current: number
  resealed: number
  /** Another transaction locked or changed the row. */
  passedOver: number
  /** Values that no available key decrypts, by the name of their key; `unknown` if they name none. */
  unreadable: Record<string, number>
}

export interface Rotation {
  readonly outcome: 'done' | 'unfinished'
  readonly keyId: string
  /** The sum of all passes. */
  readonly resealed: number
  /** The counts of the last pass, by `table.column`. */
  readonly columns: Readonly<Record<string, RotationCounts>>
  /** Values that are not sealed with the current key. */
  readonly left: number
  /** How many processes still seal with another key. */
  readonly otherWriters: number
  /** Until when pairing codes of an earlier key are valid; null if there are none. */
  readonly pairingCodesUntil: Instant | null
}

/** Called after each step of a column, and at its end. */
export type RotationProgress = (column: string, counts: RotationCounts, isDone: boolean) => void

/** The names of the master keys that can decrypt, beginning with the one that seals. Names are not secret. */
export const masterKeyIds = ({ db }: Pick<Deps, 'db'>) => db.sealer.keyIds

/** How many processes cannot decrypt values of the current key. While there are any, nothing may be sealed with it. */
export async function countUnpreparedProcesses(deps: Pick<Deps, 'db'>): Promise<number> {
  const others = await findOtherProcesses(deps.db)
  return others.filter(({ opens }) => !opens.includes(masterKeyIds(deps)[0])).length
}

/** How many other processes use the store. */
export async function countOtherProcesses({ db }: Pick<Deps, 'db'>): Promise<number> {
  return (await findOtherProcesses(db)).length
}

export async function rotateMasterKey(deps: Needs, onProgress: RotationProgress): Promise<Rotation> {
  await sealPlainSensitiveFields(deps)
  let resealed = 0
  let columns: Record<string, RotationCounts> = {}
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    columns = {}
    for (const column of SEALED_COLUMNS) columns[nameOf(column)] = await resealColumn(deps, column, onProgress)
    const changed = sum(columns, (counts) => counts.resealed)
    resealed += changed
    if (changed === 0 && sum(columns, (counts) => counts.passedOver) === 0) break
  }
  // A pass that changed something does not prove that nothing is left.
  const left = sum(columns, (counts) => counts.resealed + counts.passedOver + unreadableOf(counts))
  const [keyId, ...earlier] = masterKeyIds(deps)
  const otherWriters = (await findOtherProcesses(deps.db)).filter(({ sealsWith }) => sealsWith !== keyId).length
  const now = instantOf(deps.clock.now())
  const pairingCodesUntil = earlier.length === 0 ? null : await findOpenPairingCodesAcrossTenants(deps.db, now)
  const outcome = left === 0 && otherWriters === 0 ? 'done' : 'unfinished'
  return { outcome, keyId, resealed, columns, left, otherWriters, pairingCodesUntil }
}

async function resealColumn(deps: Needs, column: SealedColumn, onProgress: RotationProgress): Promise<RotationCounts> {
  const counts: RotationCounts = { current: 0, resealed: 0, passedOver: 0, unreadable: {} }
  for (let after: readonly string[] | null = null; ; ) {
    const range = { after, header: deps.db.sealer.header, rowsMax: STEP_ROWS }
    const rows: FoundValue[] = await readSealedRows(deps.db, column, range)
    await resealRows(deps, column, { rows, counts })
    const last = rows.at(-1)
    if (last === undefined || rows.length < STEP_ROWS) break
    after = column.key.map((name) => last.facts[name] ?? '')
    onProgress(nameOf(column), counts, false)
  }
  onProgress(nameOf(column), counts, true)
  return counts
}

async function resealRows(
  deps: Needs,
  column: SealedColumn,
  { rows, counts }: { readonly rows: readonly FoundValue[]; readonly counts: RotationCounts },
): Promise<void> {
  const fresh: ResealedValue[] = []
  for (const { facts, value, isCurrent } of rows) {
    if (isCurrent) counts.current += 1
    if (value === null) continue
    const resealed = resealOne(deps.db, column, { facts, value })
    if (resealed !== null) fresh.push(resealed)
    else {
      const id = keyIdOf(value.subarray(column.prefixBytes)) ?? 'unknown'
      counts.unreadable[id] = (counts.unreadable[id] ?? 0) + 1
    }
  }
  if (fresh.length === 0) return
  const replaced = await replaceSealedValues(deps.db, column, fresh)
  counts.resealed += replaced
  counts.passedOver += fresh.length - replaced
}

/** null if no available key decrypts the value. It stays as it is and is counted. */
function resealOne(
  { sealer }: Sealing,
  column: SealedColumn,
  { facts, value }: { readonly facts: FoundValue['facts']; readonly value: Buffer },
): ResealedValue | null {
  const prefix = value.subarray(0, column.prefixBytes)
  const context = column.sealContext(facts, prefix)
  try {
    const opened = sealer.open(value.subarray(column.prefixBytes), context)
    const derived = column.derived?.make(sealer, facts, opened) ?? null
    return { facts, seen: value, fresh: Buffer.concat([prefix, sealer.seal(opened, context)]), derived }
  } catch {
    return null
  }
}

const nameOf = ({ table, column }: SealedColumn) => `${table}.${column}`
const unreadableOf = (counts: RotationCounts) => Object.values(counts.unreadable).reduce((all, one) => all + one, 0)
const sum = (columns: Readonly<Record<string, RotationCounts>>, of: (counts: RotationCounts) => number) =>
  Object.values(columns).reduce((all, counts) => all + of(counts), 0)
