// The till: pair once, choose what to check, show the code, see yes, no or not proven, and go back by itself.

import { createDeviceClient } from '../../sdk/typescript/src/device-client.ts'
import { PairAgainError, RefusedError, UnreachableError } from '../../sdk/typescript/src/device-errors.ts'
import type { DeviceInfo } from '../../sdk/typescript/src/device-storage.ts'
import type { TemplateList } from '../../sdk/typescript/src/types.gen.ts'
import { type AgreedItem, agreementLines } from './agreement.ts'
import {
  browserStorage,
  type Current,
  clearCurrent,
  clearPairing,
  loadCurrent,
  loadLanguage,
  loadTemplates,
  saveCurrent,
  saveLanguage,
  saveTemplates,
} from './browser-storage.ts'
import { cancel, cancelWaiting } from './cancelling.ts'
import { watchConnection } from './connection.ts'
import { byId, el } from './dom.ts'
import { keepOfflineShell } from './offline-shell.ts'
import { outcomeOf } from './outcome.ts'
import { imageAddress } from './portrait.ts'
import { pairingProblem, problemText } from './problems.ts'
import { canScan, type Scan, scan, takeLinkedCode } from './scanner.ts'
import {
  askView,
  chooseView,
  type Field,
  fieldsView,
  outcomeView,
  pairView,
  scanView,
  startingView,
  type View,
} from './views.ts'
import { type Ended, pause, watchVerification } from './watch.ts'
import { durationText, LANGUAGES, type Language, titleOf, WORDS, type Words } from './words.ts'

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

let language: Language = chooseLanguage()
let device: DeviceInfo | null = null
/** As the service said last; null until it has. */
let templates: TemplateList | null = null
/** Ends whatever the screen on show is waiting for. */
let leaving = new AbortController()
let redraw: () => void = () => undefined

const words = (): Words => WORDS[language]
const title = (template: string): string => titleOf(words(), templates?.data ?? [], template)

function chooseLanguage(): Language {
  const wanted = [loadLanguage(), ...navigator.languages.map((tag) => tag.slice(0, 2))]
  return wanted.map((tag) => LANGUAGES.find((known) => known === tag)).find((known) => known !== undefined) ?? 'en'
}

/** Puts a screen on show; `draw` is called again when the language changes. */
function show(draw: () => View, spoken: () => string = () => ''): AbortSignal {
  leaving.abort()
  leaving = new AbortController()
  redraw = () => {
    drawHeader()
    const view = byId('view')
    const focused = view.contains(document.activeElement)
    view.replaceChildren(...draw().filter((part) => part !== null))
    byId('live').textContent = spoken()
    if (focused) view.querySelector<HTMLElement>('h1')?.focus()
  }
  redraw()
  byId('view').querySelector<HTMLElement>('h1')?.focus()
  return leaving.signal
}

function drawHeader(): void {
  document.documentElement.lang = language
  byId('language').textContent = words().other
  byId('device').textContent = device?.name ?? ''
  const test = byId('test')
  test.replaceChildren(el('strong', {}, words().test), words().testMeans)
  // A till that does not know yet says so too: only the service's word takes the mark away.
  test.hidden = device === null || templates?.environment === 'live'
  const sign = byId('connection')
  sign.textContent = words().offline
  sign.hidden = connection.isUp()
}

function connectionChanged(up: boolean): void {
  drawHeader()
  if (!up) return
  // What was said about the connection is no longer true.
  if (document.querySelector('.choices') !== null) redraw()
  void cancelWaiting(client)
}

function showPairing(notice: (() => string) | null = null, code = '', busy = false): void {
  device = null
  const startScan = canScan() ? () => void scanCode() : null
  show(() =>
    pairView(
      words(),
      { notice: notice?.() ?? null, code, busy },
      { pair: (typed) => void pairWith(typed), scan: startScan },
    ),
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
    device = await client.enroll(code)
    await learnTemplates()
    showChoices()
  } catch (error) {
    showPairing(() => pairingProblem(words(), error), error instanceof UnreachableError ? code : '')
  }
}

/** What may be asked, and whether it is for real. Without an answer the till goes on with what it knew. */
async function learnTemplates(): Promise<void> {
  const asked = device
  try {
    const learned = await client.listTemplates()
    if (device !== asked || asked === null) return
    const changed = JSON.stringify(learned) !== JSON.stringify(templates)
    templates = learned
    saveTemplates(learned)
    if (changed) redraw()
  } catch (error) {
    if (error instanceof PairAgainError) fall(error)
  }
}

function showChoices(notice: (() => string | null) | null = null): void {
  const paired = device
  clearCurrent()
  if (paired === null) {
    showPairing()
    return
  }
  const taps = { choose: (template: string) => void ask(template), unpair: () => void unpair() }
  show(() => chooseView(words(), { device: paired, titles: templates?.data ?? [], notice: notice?.() ?? null }, taps))
}

async function ask(template: string, values: Record<string, string | number> | null = null): Promise<void> {
  const fields = templates?.data.find(({ key }) => key === template)?.fields
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

async function showCode(current: Current): Promise<void> {
  const taps = { cancel: () => void takeBack(current) }
  let items: readonly AgreedItem[] = []
  const agreement = () => agreementLines(items, words(), language)
  const signal = show(() => askView(words(), { current, title: title(current.template), agreement: agreement() }, taps))
  // From the very text that the wallet gets, so that both show the same.
  void client.getTransaction(current.id).then(
    ({ transaction }) => {
      if (signal.aborted || transaction === null || transaction.length === 0) return
      items = transaction
      redraw()
    },
    (error: unknown) => {
      if (!signal.aborted && error instanceof PairAgainError) fall(error)
    },
  )
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
  const { template } = current
  const outcome = () => outcomeOf(verification, template, words(), verdict)
  const portrait = imageAddress(outcome().portrait)
  const seconds = outcome().facts.length > 0 || portrait !== null ? READING_SECONDS : GLANCE_SECONDS
  const draw = () =>
    outcomeView(
      words(),
      { title: title(template), outcome: outcome(), seconds, portrait },
      { done: () => showChoices() },
    )
  const spoken = () => [words()[outcome().kind], outcome().reason ?? ''].join('. ').replace(/\. $/, '')
  const signal = show(draw, spoken)
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
  clearPairing()
  templates = null
  await client.forget()
}

async function beat(): Promise<void> {
  if (device !== null && document.visibilityState === 'visible') await learnTemplates()
}

async function start(): Promise<void> {
  byId('language').addEventListener('click', () => {
    language = language === 'en' ? 'de' : 'en'
    saveLanguage(language)
    redraw()
  })
  addEventListener('online', () => void beat())
  addEventListener('hashchange', () => {
    const linked = takeLinkedCode()
    if (linked !== null && device === null) showPairing(null, linked)
  })
  document.addEventListener('visibilitychange', () => void beat())
  setInterval(() => void beat(), HEARTBEAT_MS)
  void keepOfflineShell()
  const linked = takeLinkedCode()
  device = await client.device()
  templates = device === null ? null : loadTemplates()
  const current = loadCurrent()
  if (device !== null) {
    void learnTemplates()
    void cancelWaiting(client)
  }
  if (device === null) showPairing(null, linked ?? '')
  else if (current !== null && Date.now() < current.deadline + STALE_MS) await showCode(current)
  else showChoices()
}

await start()
