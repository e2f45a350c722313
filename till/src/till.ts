// The till: pair once, choose what to check, show the code, see yes, no or not proven, and go back by itself.

import { createDeviceClient } from '../../sdk/typescript/src/device/device-client.ts'
import { PairAgainError, RefusedError, UnreachableError } from '../../sdk/typescript/src/device/device-errors.ts'
import { type AgreedItem, agreementLines } from './agreement.ts'
import { openBar } from './bar.ts'
import { cancel, cancelWaiting } from './cancelling.ts'
import { watchConnection } from './connection.ts'
import {
  browserStorage,
  type Current,
  clearCurrent,
  clearPairing,
  isSoundOn,
  loadCurrent,
  loadRecent,
  loadTemplates,
  saveCurrent,
  saveRecent,
  saveTemplates,
} from './device/browser-storage.ts'
import { guardKiosk } from './device/kiosk.ts'
import { canScan, type Scan, scan, takeLinkedCode } from './device/scanner.ts'
import { openSignals } from './device/signals.ts'
import { keepAwake } from './device/wake-lock.ts'
import { openDisplayLink } from './display/display-link.ts'
import { byId } from './dom.ts'
import { keepOfflineShell } from './offline-shell.ts'
import { outcomeOf } from './outcome.ts'
import { imageAddress } from './portrait.ts'
import { pairingProblem, problemText } from './problems.ts'
import { noteRecent } from './recent.ts'
import { isScreenIdle, redraw, redrawBar, setBar, show } from './screen.ts'
import { openSettings } from './settings.ts'
import { isTest, state, title, words } from './state.ts'
import { askView, chooseView, type Field, fieldsView, outcomeView, pairView, scanView, startingView } from './views.ts'
import { type Ended, pause, watchVerification } from './watch.ts'
import { durationText } from './words/words.ts'

/** How long an answer stays: a glance for yes or no, longer where there is something to read. */
const GLANCE_SECONDS = 10
const READING_SECONDS = 60
/** An answer that nobody waited for is not shown to whoever opens the till later. */
const STALE_MS = 10 * 60_000
/** Keeps the tokens fresh, and notices a revocation while nobody asks for anything. */
const HEARTBEAT_MS = 60_000

const connection = watchConnection(connectionChanged)
const client = createDeviceClient({
  baseUrl: location.origin,
  storage: browserStorage(),
  fetch: (...asked) => connection.fetch(...asked),
})
const shell = keepOfflineShell(redrawBar, () => loadCurrent() === null)
const signals = openSignals(isSoundOn)
const display = openDisplayLink({
  language: () => state.language,
  isTest,
  // A PIN that is half typed stays.
  onChange: () => document.querySelector('.pad') === null && redraw(),
})
setBar(
  openBar({
    connection,
    shell,
    onLanguage: () => {
      redraw()
      display.refresh()
    },
    onSettings: () => openSettings({ display, back: () => showChoices(), unpair }),
  }),
)

function connectionChanged(up: boolean): void {
  redrawBar()
  if (!up) return
  // What was said about the connection is no longer true.
  if (document.querySelector('.choices') !== null) redraw()
  void cancelWaiting(client)
}

function showPairing(notice: (() => string) | null = null, code = '', busy = false): void {
  state.device = null
  const startScan = canScan() ? () => void scanCode() : null
  show(
    () =>
      pairView(
        words(),
        { notice: notice?.() ?? null, code, busy },
        { pair: (typed) => void pairWith(typed), scan: startScan },
      ),
    { idle: !busy },
  )
}

async function scanCode(): Promise<void> {
  let camera: Scan | null = null
  try {
    camera = await scan((code) => void pairWith(code))
  } catch {
    return showPairing(() => words().noCamera)
  }
  const { video, stop } = camera
  show(() => scanView(words(), video, () => showPairing())).addEventListener('abort', stop)
}

async function pairWith(code: string): Promise<void> {
  showPairing(null, code, true)
  try {
    state.device = await client.enroll(code)
    await learnTemplates()
    showChoices()
  } catch (error) {
    showPairing(() => pairingProblem(words(), error), error instanceof UnreachableError ? code : '')
  }
}

/** What may be asked, and whether it is for real. Without an answer the till goes on with what it knew. */
async function learnTemplates(): Promise<void> {
  const asked = state.device
  try {
    const learned = await client.listTemplates()
    if (state.device !== asked || asked === null) return
    const changed = JSON.stringify(learned) !== JSON.stringify(state.templates)
    state.templates = learned
    saveTemplates(learned)
    if (!changed) return
    redraw()
    display.refresh()
  } catch (error) {
    if (error instanceof PairAgainError) fall(error)
  }
}

function showChoices(notice: (() => string | null) | null = null): void {
  const paired = state.device
  clearCurrent()
  if (paired === null) {
    showPairing()
    return
  }
  const shown = () => ({
    device: paired,
    titles: state.templates?.data ?? [],
    notice: notice?.() ?? null,
    recent: loadRecent(),
  })
  show(() => chooseView(words(), shown(), { choose: (template) => void ask(template) }), { idle: true })
}

async function ask(template: string, values: Record<string, string | number> | null = null): Promise<void> {
  const fields = state.templates?.data.find(({ key }) => key === template)?.fields
  if (fields !== undefined && fields.length > 0 && values === null) return askForValues(template, fields, null)
  const signal = show(() => startingView(words(), title(template)))
  try {
    const made = await client.createVerification({
      template,
      ...(values === null ? {} : { transaction: [{ values }] }),
    })
    const lifeMs = Date.parse(made.expires_at) - Date.parse(made.created_at)
    const current = { id: made.id, template, walletUri: made.wallet_uri ?? '', deadline: Date.now() + lifeMs }
    if (signal.aborted) return
    saveCurrent(current)
    await showCode(current)
  } catch (error) {
    // What was typed is wrong, not the connection: it is asked for again.
    if (error instanceof RefusedError && error.code === 'invalid_transaction' && fields !== undefined)
      return askForValues(template, fields, () => words().notAccepted)
    fall(error)
  }
}

function askForValues(template: string, fields: readonly Field[], notice: (() => string) | null): void {
  const taps = {
    ask: (values: Record<string, string | number>) => void ask(template, values),
    back: () => showChoices(),
  }
  show(() => fieldsView(words(), { title: title(template), fields, notice: notice?.() ?? null }, taps))
}

/** From the very text that the wallet gets, so that both show the same. */
async function learnAgreement({ id }: Current, signal: AbortSignal): Promise<readonly AgreedItem[]> {
  try {
    const { transaction } = await client.getTransaction(id)
    return signal.aborted ? [] : (transaction ?? [])
  } catch (error) {
    if (!signal.aborted && error instanceof PairAgainError) fall(error)
    return []
  }
}

async function showCode(current: Current): Promise<void> {
  let here = false
  const taps = {
    cancel: () => void takeBack(current),
    showHere: () => {
      here = true
      redraw()
    },
  }
  let agreed: readonly AgreedItem[] = []
  const shown = () => ({
    current,
    title: title(current.template),
    agreement: agreementLines(agreed, words()),
    elsewhere: display.state() === 'here' && !here,
  })
  const signal = show(() => askView(words(), shown(), taps))
  void learnAgreement(current, signal).then((items) => {
    agreed = items
    if (items.length > 0 && !signal.aborted) redraw()
  })
  display.show({ kind: 'code', walletUri: current.walletUri })
  signal.addEventListener('abort', () => display.show({ kind: 'done' }))
  void countDown(current, signal)
  try {
    const ended = await watchVerification(client, current.id, { signal, fetch: connection.fetch })
    if (ended !== null) await showOutcome(current, ended)
  } catch (error) {
    fall(error)
  }
}

async function takeBack(current: Current): Promise<void> {
  const signal = show(() => startingView(words(), title(current.template)))
  try {
    await cancel(client, current.id)
    if (!signal.aborted) showChoices()
  } catch (error) {
    if (signal.aborted) return
    if (error instanceof RefusedError && error.code === 'session_already_responded') {
      // The wallet was quicker: what it answered is shown.
      await showCode(current)
    } else if (error instanceof UnreachableError) {
      showChoices(() => (connection.isUp() ? null : words().notCancelled))
    } else {
      fall(error)
    }
  }
}

/** By the till's own clock, for people only: the service decides when time is up. */
async function countDown(current: Current, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const seconds = Math.max(0, Math.ceil((current.deadline - Date.now()) / 1000))
    byId('time').textContent = words().left(durationText(seconds))
    await pause(1_000, signal)
  }
}

async function showOutcome(current: Current, { verification, verdict }: Ended): Promise<void> {
  const { id, template } = current
  const outcome = () => outcomeOf(verification, template, words(), verdict)
  const { kind, facts, portrait: image } = outcome()
  const portrait = imageAddress(image)
  const seconds = facts.length > 0 || portrait !== null ? READING_SECONDS : GLANCE_SECONDS
  const draw = () =>
    outcomeView(
      words(),
      { title: title(template), outcome: outcome(), seconds, portrait },
      { done: () => showChoices() },
    )
  const spoken = () => [words()[kind], outcome().reason ?? ''].join('. ').replace(/\. $/, '')
  const signal = show(draw, { spoken })
  saveRecent(noteRecent(loadRecent(), { id, at: Date.now(), outcome: kind }))
  signals.play(kind)
  if (portrait !== null) signal.addEventListener('abort', () => URL.revokeObjectURL(portrait))
  for (let left = seconds; left > 0 && !signal.aborted; left -= 1) {
    const bar = document.getElementById('left')
    if (bar instanceof HTMLProgressElement) bar.value = left
    await pause(1_000, signal)
  }
  if (!signal.aborted) showChoices()
}

/** Where a failure leads: back to pairing, or back to the choices with a reason. */
function fall(error: unknown): void {
  if (error instanceof PairAgainError) {
    void pairAgain(error)
    return
  }
  const lost = error instanceof UnreachableError
  showChoices(() => (lost && connection.isUp() ? null : problemText(words(), error)))
}

async function pairAgain(error: PairAgainError): Promise<void> {
  await forgetPairing()
  const { reason } = error
  if (reason === 'not_paired') return showPairing()
  showPairing(() => (reason === 'refresh_lost' ? words().lost : words().revoked))
}

async function unpair(): Promise<void> {
  await forgetPairing()
  showPairing()
}

async function forgetPairing(): Promise<void> {
  display.disconnect()
  clearPairing()
  state.templates = null
  await client.forget()
}

async function beat(): Promise<void> {
  if (state.device !== null && document.visibilityState === 'visible') await learnTemplates()
}

export async function startTill(): Promise<void> {
  addEventListener('online', () => void beat())
  addEventListener('hashchange', () => {
    if (location.hash === '#display') return location.reload()
    const linked = takeLinkedCode()
    if (linked !== null && state.device === null) showPairing(null, linked)
  })
  document.addEventListener('visibilitychange', () => void beat())
  setInterval(() => void beat(), HEARTBEAT_MS)
  keepAwake()
  guardKiosk(() => isScreenIdle() && redraw())
  const linked = takeLinkedCode()
  state.device = await client.device()
  state.templates = state.device === null ? null : loadTemplates()
  const current = loadCurrent()
  if (state.device !== null) {
    void learnTemplates()
    void cancelWaiting(client)
  }
  if (state.device === null) showPairing(null, linked ?? '')
  else if (current !== null && Date.now() < current.deadline + STALE_MS) await showCode(current)
  else showChoices()
}
