// A witness is asked to cosign: it does so only where the log goes on from what the witness saw last, and remembers before it answers.

import { cosign } from '../../domain/log/cosignature.ts'
import { type NoteKey, type NoteSigner, signatureLine } from '../../domain/log/note.ts'
import { judgeSubmission, type SubmissionVerdict } from '../../domain/log/submission.ts'
import type { Clock } from '../../domain/world.ts'
import type { WitnessFiles } from '../../store/log/witness-files.ts'

export interface WitnessNeeds {
  readonly clock: Clock
  readonly files: Pick<WitnessFiles, 'load' | 'save'>
  readonly signer: NoteSigner
  /** Whose checkpoints are cosigned. */
  readonly logs: readonly NoteKey[]
}

export type Cosigning =
  | { readonly outcome: 'cosigned'; readonly line: string }
  | Exclude<SubmissionVerdict, { outcome: 'consistent' }>

/** One after the other: what is compared is still so when it is replaced. */
export function createCosigning(needs: WitnessNeeds): (body: string) => Promise<Cosigning> {
  let last: Promise<unknown> = Promise.resolve()
  return (body) => {
    const next = last.then(() => cosignCheckpoint(needs, body))
    last = next.catch(() => undefined)
    return next
  }
}

async function cosignCheckpoint({ clock, files, signer, logs }: WitnessNeeds, body: string): Promise<Cosigning> {
  const origins = [...new Set(logs.map(({ name }) => name))]
  const known = new Map(await Promise.all(origins.map(async (origin) => [origin, await files.load(origin)] as const)))
  const verdict = judgeSubmission(body, logs, (origin) => known.get(origin) ?? null)
  if (verdict.outcome !== 'consistent') return verdict
  const { head, note } = verdict
  if (known.get(head.origin)?.size !== head.size) await files.save(head.origin, head)
  return { outcome: 'cosigned', line: signatureLine(cosign(note.text, Math.floor(clock.now() / 1000), signer)) }
}
