// Shows yes, no or not proven long enough to read, then returns to the choices.

import { type AgreedItem, agreedPayment, agreementLines } from './agreement.ts'
import { type Current, loadRecent, saveRecent } from './device/browser-storage.ts'
import type { Signals } from './device/signals.ts'
import { outcomeOf } from './outcome.ts'
import { imageAddress } from './portrait.ts'
import { noteRecent } from './recent.ts'
import { show } from './screen.ts'
import { title, words } from './state.ts'
import { outcomeTitle, outcomeView } from './views.ts'
import { type Ended, pause } from './watch.ts'

/** How long an outcome is shown: short for yes or no, longer if there is something to read. */
const GLANCE_SECONDS = 10
const READING_SECONDS = 60

/** Calls `done` after that time or at a tap, unless another screen came first. */
export async function showOutcome(
  { id, template }: Current,
  { verification, verdict }: Ended,
  world: { readonly signals: Signals; readonly agreed: readonly AgreedItem[]; readonly done: () => void },
): Promise<void> {
  const { signals, agreed, done } = world
  const outcome = () => outcomeOf(verification, template, words(), verdict)
  const { kind, facts, portrait: image } = outcome()
  const portrait = imageAddress(image)
  const seconds = facts.length > 0 || portrait !== null ? READING_SECONDS : GLANCE_SECONDS
  const shown = () => ({
    template,
    title: title(template),
    outcome: outcome(),
    agreement: agreementLines(agreed, words()),
    paid: kind === 'yes' ? agreedPayment(agreed, words()) : null,
    seconds,
    portrait,
  })
  const draw = () => outcomeView(words(), shown(), { done })
  const spoken = () => [outcomeTitle(words(), shown()), outcome().reason ?? ''].join('. ').replace(/\. $/, '')
  const signal = show(draw, { spoken })
  saveRecent(noteRecent(loadRecent(), { id, at: Date.now(), outcome: kind, template }))
  signals.play(kind)
  if (portrait !== null) signal.addEventListener('abort', () => URL.revokeObjectURL(portrait))
  for (let left = seconds; left > 0 && !signal.aborted; left -= 1) {
    const bar = document.getElementById('left')
    if (bar instanceof HTMLProgressElement) bar.value = left
    await pause(1_000, signal)
  }
  if (!signal.aborted) done()
}
