// Cosigns a checkpoint if it extends the last one that this witness saw. Stores the checkpoint before answering.

import { createHash } from 'node:crypto'
import { signatureLine } from '../../../platform/signed-note.ts'
import { cosign } from '../domain/log/cosignature.ts'
import { judgeSubmission, readSubmission, type SubmissionVerdict } from '../domain/log/submission.ts'
import { cosignEpoch, type EpochCosigning, type WitnessNeeds } from './cosign-epoch.ts'

type Cosigning =
  | { readonly outcome: 'cosigned'; readonly line: string }
  | Exclude<SubmissionVerdict, { outcome: 'consistent' }>

export interface WitnessWork {
  cosign(body: string): Promise<Cosigning>
  cosignEpoch(body: string): Promise<EpochCosigning>
  /** The newest checkpoint of the log whose origin has this hash; null: none is known. */
  newest(originHash: string): Promise<string | null>
}

/** Handles one submission at a time, so that the stored head cannot change between the comparison and the write. */
export function createCosigning(needs: WitnessNeeds): WitnessWork {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work)
    last = next.catch(() => undefined)
    return next
  }
  return {
    cosign: (body) => inTurn(() => cosignCheckpoint(needs, body)),
    cosignEpoch: (body) => inTurn(() => cosignEpoch(needs, body)),
    async newest(originHash) {
      const log = needs.logs.find(({ name }) => createHash('sha256').update(name, 'utf8').digest('hex') === originHash)
      return log === undefined ? null : ((await needs.files.load(log.name))?.note ?? null)
    },
  }
}

function signedNote(body: string): string | null {
  return readSubmission(body)?.checkpoint ?? null
}

async function cosignCheckpoint({ clock, files, signer, logs }: WitnessNeeds, body: string): Promise<Cosigning> {
  const origins = [...new Set(logs.map(({ name }) => name))]
  const known = new Map(await Promise.all(origins.map(async (origin) => [origin, await files.load(origin)] as const)))
  const verdict = judgeSubmission(body, logs, (origin) => known.get(origin) ?? null)
  if (verdict.outcome !== 'consistent') return verdict
  const { head, note } = verdict
  const last = known.get(head.origin)
  // A stored head of the same size may lack its note.
  if (last?.size !== head.size || last.note === null) await files.save(head.origin, { ...head, note: signedNote(body) })
  return { outcome: 'cosigned', line: signatureLine(cosign(note.text, Math.floor(clock.now() / 1000), signer)) }
}
