// Asks a guest: shows the code until it is answered, cancelled or expired.

import type { DeviceClient } from '../../sdk/typescript/src/device/device-client.ts'
import { RefusedError, UnreachableError } from '../../sdk/typescript/src/device/device-errors.ts'
import { type AgreedItem, agreementLines, learnAgreement } from './agreement.ts'
import { cancel } from './cancelling.ts'
import type { Connection } from './connection.ts'
import { type Current, saveCurrent } from './device/browser-storage.ts'
import type { Signals } from './device/signals.ts'
import type { DisplayLink } from './display/display-link.ts'
import type { Question } from './display/display-messages.ts'
import { byId } from './dom.ts'
import { showOutcome } from './outcome-screen.ts'
import { redraw, show } from './screen.ts'
import { state, title, words } from './state.ts'
import { askView, type Field, fieldsView, startingView } from './views.ts'
import { pause, watchVerification } from './watch.ts'
import { countdownText } from './words/words.ts'

export interface AskingWorld {
  readonly client: DeviceClient
  readonly connection: Connection
  readonly display: DisplayLink
  readonly signals: Signals
  /** Checks whether the customer screen is still connected. */
  readonly checkDisplay: () => Promise<void>
  /** Returns to the choices, with a notice. */
  readonly done: (notice?: () => string | null) => void
  readonly handleFailure: (error: unknown) => void
}

type Values = Readonly<Record<string, string | number>>

export async function ask(world: AskingWorld, template: string, values: Values | null = null): Promise<void> {
  const fields = state.templates?.data.find(({ key }) => key === template)?.fields
  if (fields !== undefined && fields.length > 0 && values === null)
    return askForValues(world, { template, fields, notice: null })
  const signal = show(() => startingView(words(), title(template)))
  try {
    const created = await world.client.createVerification({
      template,
      ...(values === null ? {} : { transaction: [{ values }] }),
    })
    const lifeMs = Date.parse(created.expires_at) - Date.parse(created.created_at)
    const current = { id: created.id, template, walletUri: created.wallet_uri ?? '', deadline: Date.now() + lifeMs }
    if (signal.aborted) return
    saveCurrent(current)
    await showCode(world, current)
  } catch (error) {
    // The typed value is wrong, not the connection, so it is asked for again.
    if (error instanceof RefusedError && error.code === 'invalid_transaction' && fields !== undefined)
      return askForValues(world, { template, fields, notice: () => words().notAccepted })
    world.handleFailure(error)
  }
}

function askForValues(
  world: AskingWorld,
  form: { readonly template: string; readonly fields: readonly Field[]; readonly notice: (() => string) | null },
): void {
  const { template, fields, notice } = form
  const taps = { ask: (values: Values) => void ask(world, template, values), back: () => world.done() }
  show(() => fieldsView(words(), { title: title(template), fields, notice: notice?.() ?? null }, taps))
}

export async function showCode(world: AskingWorld, current: Current): Promise<void> {
  const { client, connection, display, signals, handleFailure } = world
  let here = false
  const taps = {
    cancel: () => void takeBack(world, current),
    showHere: () => {
      here = true
      redraw()
    },
  }
  // The code appears only together with what the guest confirms.
  let agreed: readonly AgreedItem[] | null = null
  const shown = () => ({
    current,
    title: title(current.template),
    agreement: agreed === null ? null : agreementLines(agreed, words()),
    time: timeLeft(current),
    elsewhere: display.state() === 'here' && !here,
  })
  const signal = show(() => askView(words(), shown(), taps))
  signal.addEventListener('abort', () => display.show({ kind: 'done' }))
  void countDown(current, signal)
  const showAgreed = async () => {
    agreed = await learnAgreement(client, current.id, signal)
    if (agreed === null) return
    redraw()
    display.show({ kind: 'code', question: questionOf(current), walletUri: current.walletUri, agreed })
    await world.checkDisplay()
  }
  void showAgreed().catch((error) => !signal.aborted && handleFailure(error))
  try {
    const ended = await watchVerification(client, current.id, { signal, fetch: connection.fetch })
    if (ended !== null) await showOutcome(current, ended, { signals, agreed: agreed ?? [], done: () => world.done() })
  } catch (error) {
    handleFailure(error)
  }
}

/** Built-in templates are named in the language of the screen. */
function questionOf({ template }: Current): Question {
  const isBuiltIn = Object.hasOwn(words().labels.templates, template)
  return { template, title: isBuiltIn ? null : title(template) }
}

async function takeBack(world: AskingWorld, current: Current): Promise<void> {
  const { client, connection, done, handleFailure } = world
  const signal = show(() => startingView(words(), title(current.template)))
  try {
    await cancel(client, current.id)
    if (!signal.aborted) done()
  } catch (error) {
    if (signal.aborted) return
    if (error instanceof RefusedError && error.code === 'session_already_responded') {
      // The wallet was faster, so its answer is shown.
      await showCode(world, current)
    } else if (error instanceof UnreachableError) {
      done(() => (connection.isUp() ? null : words().notCancelled))
    } else {
      handleFailure(error)
    }
  }
}

/** Uses the till's own clock, for display only. The service decides when it expires. */
async function countDown(current: Current, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    byId('time').textContent = timeLeft(current)
    await pause(1_000, signal)
  }
}

function timeLeft({ deadline }: Current): string {
  return words().left(countdownText(Math.max(0, Math.ceil((deadline - Date.now()) / 1000))))
}
