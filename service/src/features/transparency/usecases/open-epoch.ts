// Continues the log in a new epoch after a restore, once every witness has cosigned the statement of the loss.

import type { Deps } from '../../../deps.ts'
import type { Witness } from '../../../platform/config/witness.ts'
import { request } from '../../../platform/egress/client.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type NoteSigner, readSignatureLine, signatureLine } from '../../../platform/signed-note.ts'
import { instantOf } from '../../../platform/world.ts'
import type { EpochNumbers } from '../../audit/domain/blinded-heads.ts'
import { epochNumber, FIRST_EPOCH, isSameEpoch, type LogTreeHead, openTreeHead } from '../domain/log/checkpoint.ts'
import { openCosignature } from '../domain/log/cosignature.ts'
import {
  type EpochStatement,
  epochCosigners,
  epochNumbers,
  isEpochSequence,
  isOnNewestBranch,
  isReason,
  openEpoch,
  signEpoch,
} from '../domain/log/epoch.ts'
import { logSigner } from '../domain/log/log-keys.ts'
import {
  addEpochCosignature,
  deletePendingEpoch,
  insertEpoch,
  listEpochs,
  noteEpochKnown,
  noteEpochOpened,
  type StoredEpoch,
} from '../store/epochs.ts'
import { loadLog, lockLog, type StoredLog } from '../store/log.ts'
import { readSeenLog } from '../store/seen-file.ts'
import { appendEpoch, type GrowthNeeds, rootOf, whyNotToSign } from './grow-log.ts'
import { readWitnessedCheckpoint } from './witnessed-checkpoint.ts'

type EpochNeeds = GrowthNeeds & Pick<Deps, 'egress'>

const ANSWER_BYTES_MAX = 16 * 1024

export interface EpochState {
  readonly statement: EpochStatement
  /** The note with the cosignatures so far, for the operators of witnesses. */
  readonly text: string
  readonly cosigned: readonly string[]
  /** Names of witnesses that have not cosigned yet. */
  readonly waiting: readonly string[]
  readonly isOpen: boolean
}

interface EpochRequest {
  readonly reason: string
  /** Checkpoints that mirrors, auditors or a process have stored. */
  readonly kept: readonly string[]
  /** Statements of epochs that the restored store does not know. */
  readonly epochs: readonly string[]
  /** Whether to replace a waiting statement that no witness has cosigned. */
  readonly isReplacing: boolean
}

/** Returns the state of the statement, or why no statement can be made. */
export async function prepareEpoch(
  deps: EpochNeeds,
  { reason, kept, epochs, isReplacing }: EpochRequest,
): Promise<EpochState | string> {
  if (!isReason(reason)) return 'the reason is one line of at most 500 characters'
  const { origin, setBackNote } = await loadLog(deps.db)
  if (origin === null) return 'the log has signed nothing yet'
  const shown = await Promise.all(
    deps.config.witnesses.map((witness) => readWitnessedCheckpoint(deps, witness, origin)),
  )
  const seen = await readSeenLog(deps.config.dataDir)
  const notes = [...kept, ...[...shown, setBackNote, seen?.note ?? null].filter((note) => note !== null)]
  const prepared = await deps.db.transaction((tx) => prepareIn(deps, tx, { reason, isReplacing, epochs, notes }))
  if (prepared !== null) return prepared
  return (await goOnWithEpoch(deps)) ?? 'no epoch waits'
}

async function prepareIn(
  deps: EpochNeeds,
  tx: Tx,
  { reason, isReplacing, epochs, notes }: Omit<EpochRequest, 'kept'> & { readonly notes: readonly string[] },
): Promise<string | null> {
  const head = await lockLog(tx)
  if (head.setBack !== null)
    return 'the store was rolled back and is not checked yet: run `vidimus restore check` first'
  if (head.halted === null || head.note === null || head.origin === null) return 'the log is not halted'
  const wrong = await whyNotToSign(deps, tx, head)
  if (wrong !== null) return `${wrong}: a restore does not explain this, and a new epoch would hide it`
  const pending = (await listEpochs(tx)).find(({ openedAt }) => openedAt === null)
  if (pending !== undefined && (!isReplacing || pending.cosignatures !== ''))
    return 'a statement waits for its witnesses already; one that none has cosigned can be replaced (--replace)'
  await deletePendingEpoch(tx)
  const signer = logSigner(deps.derivedKeys, head.origin)
  const base = await baseOf(tx, head, signer)
  if (typeof base === 'string') return base
  const newest = newestOf(notes, base.head, signer)
  if (newest === null)
    return 'no witness and no process has a checkpoint beyond the store: pass a stored one (--checkpoint)'
  const at = instantOf(deps.clock.now())
  const between = await statementsUpTo(tx, { epochs, signer, base: base.head, newest: newest.head })
  if (typeof between === 'string') return between
  for (const { number, statement } of between) {
    await insertEpoch(tx, { number, statement, at })
    await noteEpochKnown(tx, number, at)
  }
  const number = epochNumber(newest.head.epoch) + 1
  const statement = await signEpoch({ number, restored: base.note, witnessed: newest.note, at, reason }, signer)
  await insertEpoch(tx, { number, statement, at })
  return null
}

interface LostEpochs {
  readonly epochs: readonly string[]
  readonly signer: NoteSigner
  readonly base: LogTreeHead
  readonly newest: LogTreeHead
}

/** Adds statements that the store lacks, as a restored backup does. Auditors need all of them. */
async function statementsUpTo(
  tx: Tx,
  { epochs, signer, base, newest }: LostEpochs,
): Promise<{ readonly number: number; readonly statement: string }[] | string> {
  const opened = (text: string) => {
    const one = openEpoch(text, signer)
    return one === null ? [] : [{ number: one.mark.number, statement: text, one }]
  }
  const stored = (await readEpochs({ db: tx })).flatMap(opened)
  const provided = epochs.flatMap(opened)
  if (provided.length < epochs.length) return 'a statement of an epoch is unreadable, or was not signed by this log'
  const lost = provided.filter(({ number }) => !stored.some((known) => known.number === number))
  const all = [...stored, ...lost].sort((a, b) => a.number - b.number).map(({ one }) => one)
  if (!isEpochSequence(all, newest.epoch))
    return `the log was in epoch ${epochNumber(newest.epoch)} already, and the store is from before: give the statement of each epoch since (--epoch), as /log/epoch/${epochNumber(newest.epoch)} served it`
  return isOnNewestBranch(base, all)
    ? lost
    : 'this backup contains leaves that an earlier epoch declared lost: restore a backup from before that, or from after it'
}

/** Returns the newest checkpoint in the store that a witness has cosigned; otherwise the newest checkpoint. */
async function baseOf(
  tx: Tx,
  head: StoredLog,
  signer: NoteSigner,
): Promise<{ readonly note: string; readonly head: LogTreeHead } | string> {
  const note = head.witnessedNote ?? `${head.note}${head.cosignatures}`
  const opened = openTreeHead(note, signer)
  if (opened.outcome !== 'signed' || opened.head.size > head.size)
    return 'the checkpoint that witnesses cosigned last is not one of this store'
  const root = await rootOf(tx, opened.head.size).catch(() => null)
  if (root?.equals(opened.head.root) !== true) return 'the tiles in the store are not those that witnesses cosigned'
  return { note, head: opened.head }
}

/** Returns the largest known checkpoint of the newest epoch. The leaves between the restored checkpoint and this one are lost. */
function newestOf(
  notes: readonly string[],
  base: LogTreeHead,
  signer: NoteSigner,
): { readonly note: string; readonly head: LogTreeHead } | null {
  const isAfter = (one: LogTreeHead, other: LogTreeHead) =>
    isSameEpoch(one.epoch, other.epoch) ? one.size > other.size : epochNumber(one.epoch) > epochNumber(other.epoch)
  const signed = notes.flatMap((note) => {
    const opened = openTreeHead(note, signer)
    return opened.outcome === 'signed' ? [{ note, head: opened.head }] : []
  })
  return signed.reduce<(typeof signed)[number] | null>(
    (most, one) => (isAfter(one.head, most?.head ?? base) ? one : most),
    null,
  )
}

/** Asks witnesses that have not cosigned yet, and opens the epoch once all have. Returns null if no statement waits. */
export async function goOnWithEpoch(deps: EpochNeeds): Promise<EpochState | null> {
  const pending = (await listEpochs(deps.db)).find(({ openedAt }) => openedAt === null)
  if (pending === undefined) return null
  const before = await stateOf(deps, pending)
  if (before === null) return null
  for (const witness of deps.config.witnesses.filter(({ key }) => before.waiting.includes(key.name))) {
    const line = await askForEpoch(deps, witness, before)
    if (line !== null) await addEpochCosignature(deps.db, pending.number, line)
  }
  return deps.db.transaction((tx) => openIn(deps, tx))
}

async function openIn(deps: EpochNeeds, tx: Tx): Promise<EpochState | null> {
  const head = await lockLog(tx)
  const stored = (await listEpochs(tx)).at(-1)
  const state = stored === undefined ? null : await stateOf({ ...deps, db: tx }, stored, head)
  if (state === null || state.isOpen || state.waiting.length > 0 || head.setBack !== null) return state
  const growth = await appendEpoch(deps, tx, state.statement.mark)
  if (growth.outcome === 'halted') return state
  await noteEpochOpened(tx, state.statement.mark.number, instantOf(deps.clock.now()))
  return { ...state, isOpen: true }
}

async function stateOf(
  deps: Pick<EpochNeeds, 'derivedKeys' | 'config'> & { readonly db: Tx },
  { statement, cosignatures, openedAt }: StoredEpoch,
  known?: StoredLog,
): Promise<EpochState | null> {
  const { origin } = known ?? (await loadLog(deps.db))
  const text = statement + cosignatures
  const opened = origin === null ? null : openEpoch(text, logSigner(deps.derivedKeys, origin))
  if (opened === null) return null
  const keys = deps.config.witnesses.map(({ key }) => key)
  const cosigned = epochCosigners(opened, keys).map(({ witness }) => witness)
  const waiting = keys.map(({ name }) => name).filter((name) => !cosigned.includes(name))
  return { statement: opened, text, cosigned, waiting, isOpen: openedAt !== null }
}

/** Returns null if the witness refuses, or if its operator has not decided yet. */
async function askForEpoch(
  deps: EpochNeeds,
  { key, url }: Witness,
  { text, statement }: EpochState,
): Promise<string | null> {
  const outcome = await request(deps.egress[deps.config.production ? 'live' : 'test'], {
    method: 'POST',
    url: `${url}/add-epoch`,
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    body: Buffer.from(text, 'utf8'),
    bodyBytesMax: ANSWER_BYTES_MAX,
  })
  if (outcome.outcome !== 'answered' || outcome.status !== 200) return null
  const lines = Buffer.from(outcome.body).toString('utf8').split('\n')
  const cosignature = lines
    .flatMap((line) => readSignatureLine(line) ?? [])
    .find((signature) => openCosignature(statement.note.text, signature, key) !== null)
  return cosignature === undefined ? null : signatureLine(cosignature)
}

/** Returns the statements that opened epochs, in order, each with its cosignatures. */
export async function readEpochs(deps: { readonly db: Tx }): Promise<string[]> {
  const all = await listEpochs(deps.db)
  return all.filter(({ openedAt }) => openedAt !== null).map(({ statement, cosignatures }) => statement + cosignatures)
}

/** Reads the numbers of epochs from their statements, including an epoch that is about to be opened. */
export async function readEpochNumbers({ db, derivedKeys }: Pick<Deps, 'db' | 'derivedKeys'>): Promise<EpochNumbers> {
  const { origin } = await loadLog(db)
  if (origin === null) return new Map()
  const signer = logSigner(derivedKeys, origin)
  return epochNumbers((await listEpochs(db)).flatMap(({ statement }) => openEpoch(statement, signer) ?? []))
}

export async function readEpoch(deps: Pick<Deps, 'db'>, number: string): Promise<string> {
  const all = /^[1-9]\d*$/.test(number) ? await readEpochs(deps) : []
  const statement = all[Number(number) - FIRST_EPOCH - 1]
  if (statement === undefined) throw new Refusal('not_found')
  return statement
}
