// Submits the newest checkpoint to every witness. Halts the log if a witness has seen a larger or another tree.

import type { Deps } from '../../../deps.ts'
import type { Witness } from '../../../platform/config/witness.ts'
import { request } from '../../../platform/egress/client.ts'
import { type ReadNote, readNote, readSignatureLine } from '../../../platform/signed-note.ts'
import { instantOf } from '../../../platform/world.ts'
import { readTreeHead } from '../domain/log/checkpoint.ts'
import { openCosignature } from '../domain/log/cosignature.ts'
import { renderSubmission } from '../domain/log/submission.ts'
import { haltLog, loadLog, lockLog, saveCosignatures } from '../store/log.ts'
import { markSetBack } from '../store/log-memory.ts'
import { listWitnessStates, saveWitnessState, type WitnessState } from '../store/witnesses.ts'
import { proveConsistency } from './read-log.ts'

export type WitnessNeeds = Pick<Deps, 'db' | 'clock' | 'config' | 'egress' | 'log' | 'metrics'>

/** An answer has a few lines. */
const ANSWER_BYTES_MAX = 16 * 1024
/** If we are wrong about the size that the witness knows, the witness answers with that size, and we ask again. */
const TRIES = 2

type WitnessAnswer =
  | { readonly state: 'cosigned'; readonly size: number; readonly line: string }
  | { readonly state: 'ahead' | 'forked'; readonly size: number }
  | { readonly state: 'unreachable' | 'refused' }

export async function askWitnesses(deps: WitnessNeeds): Promise<void> {
  const { witnesses } = deps.config
  const { note: text, size } = await loadLog(deps.db)
  const note = text === null ? null : readNote(text)
  if (witnesses.length === 0 || text === null || note === null || readTreeHead(note) === null) return
  const known = new Map((await listWitnessStates(deps.db)).map((state) => [state.name, state.size]))
  const all = await Promise.all(
    witnesses.map(async (witness) => {
      const answer = await askOne(deps, witness, {
        note,
        text,
        size,
        old: Math.min(known.get(witness.key.name) ?? 0, size),
      })
      return { witness, said: answer }
    }),
  )
  for (const { witness, said: answer } of all) await noteAnswer(deps, witness, answer)
  const lines = all.flatMap(({ said: answer }) => (answer.state === 'cosigned' ? [answer.line] : []))
  if (lines.length > 0) await saveCosignatures(deps.db, text, lines.join(''))
}

interface Shown {
  readonly note: ReadNote
  readonly text: string
  readonly size: number
  readonly old: number
}

async function askOne(deps: WitnessNeeds, witness: Witness, shown: Shown): Promise<WitnessAnswer> {
  let { old } = shown
  for (let tries = 0; tries < TRIES; tries += 1) {
    const proof = await proveConsistency(deps.db, old, shown.size)
    const outcome = await request(deps.egress[deps.config.production ? 'live' : 'test'], {
      method: 'POST',
      url: `${witness.url}/add-checkpoint`,
      headers: { 'Content-Type': 'text/plain; charset=utf-8' },
      body: Buffer.from(renderSubmission({ old, proof, checkpoint: shown.text }), 'utf8'),
      bodyBytesMax: ANSWER_BYTES_MAX,
    })
    if (outcome.outcome !== 'answered') return { state: 'unreachable' }
    const body = Buffer.from(outcome.body).toString('utf8')
    if (outcome.status === 200) return cosignedBy(witness, shown, body)
    if (outcome.status === 422) return { state: 'forked', size: old }
    const size = outcome.status === 409 && /^\d{1,15}\n$/.test(body) ? Number(body) : null
    if (size === null) return { state: 'refused' }
    if (size > shown.size) return { state: 'ahead', size }
    // The sizes agree, so the witness refuses because its tree is different.
    if (size === old) return { state: 'forked', size }
    old = size
  }
  return { state: 'refused' }
}

/** Ignores invalid lines and lines of unknown keys. */
function cosignedBy({ key }: Witness, { note, size }: Shown, body: string): WitnessAnswer {
  const signatures = body.split('\n').flatMap((line) => readSignatureLine(line) ?? [])
  const cosignature = signatures.find((signature) => openCosignature(note.text, signature, key) !== null)
  if (cosignature === undefined) return { state: 'refused' }
  const line = `— ${cosignature.name} ${Buffer.concat([cosignature.keyId, cosignature.signature]).toString('base64')}\n`
  return { state: 'cosigned', size, line }
}

async function noteAnswer(deps: WitnessNeeds, { key }: Witness, answer: WitnessAnswer): Promise<void> {
  const askedAt = instantOf(deps.clock.now())
  const state: WitnessState = {
    name: key.name,
    askedAt,
    state: answer.state,
    size: 'size' in answer ? answer.size : null,
    cosignedAt: answer.state === 'cosigned' ? askedAt : null,
  }
  await deps.db.transaction(async (tx) => {
    if (answer.state === 'ahead' || answer.state === 'forked') {
      // Another replica may have grown the log in the meantime, and the witness may have seen its checkpoint. So the
      // store's current size decides.
      const { size, acknowledgedTo } = await lockLog(tx)
      if (answer.state === 'ahead' && answer.size <= size) return
      const why = whyHalted(key.name, answer, size)
      // `vidimus restore check` already knew this claim, so the store still serves. Only the log is halted, until its new epoch.
      if (acknowledgedTo !== null && answer.size <= acknowledgedTo) await haltLog(tx, why)
      else await markSetBack(tx, { why, from: answer.size, haltedRuns: 0, note: null })
    }
    await saveWitnessState(tx, state)
  })
}

function whyHalted(name: string, answer: Extract<WitnessAnswer, { state: 'ahead' | 'forked' }>, size: number): string {
  return answer.state === 'ahead'
    ? `the witness ${name} has seen ${answer.size} leaves and the store holds ${size}: it was rolled back, for example by restoring a backup`
    : `the witness ${name} has seen another tree of ${answer.size} leaves: the store was forked or rewritten`
}
