// The till: pair once, choose what to check, show the code, see yes or no, and go back by itself.

import { createDeviceClient } from '../../sdk/src/device-client.ts'
import { PairAgainError, RefusedError, UnreachableError } from '../../sdk/src/device-errors.ts'
import type { DeviceInfo } from '../../sdk/src/device-storage.ts'
import type { Verification } from '../../sdk/src/verification.ts'
import {
  browserStorage,
  type Current,
  clearCurrent,
  loadCurrent,
  loadLanguage,
  saveCurrent,
  saveLanguage,
} from './browser-storage.ts'
import { byId } from './dom.ts'
import { keepOfflineShell } from './offline-shell.ts'
import { outcomeOf } from './outcome.ts'
import { imageAddress } from './portrait.ts'
import { canScan, pairingCodeIn, type Scan, scan } from './scanner.ts'
import { askView, chooseView, outcomeView, pairView, scanView, startingView, type View } from './views.ts'
import { pause, watchVerification } from './watch.ts'
import { LANGUAGES, type Language, WORDS, type Words } from './words.ts'

/** How long an answer stays: a glance for yes or no, longer where there is something to read. */
const GLANCE_SECONDS = 10
const READING_SECONDS = 60
/** An answer that nobody waited for is not shown to whoever opens the till later. */
const STALE_MS = 10 * 60_000
/** Keeps the tokens fresh, and notices a revocation while nobody asks for anything. */
const HEARTBEAT_MS = 60_000

const client = createDeviceClient({ baseUrl: location.origin, storage: browserStorage() })

let language: Language = chooseLanguage()
let device: DeviceInfo | null = null
/** Ends whatever the screen on show is waiting for. */
let leaving = new AbortController()
let redraw: () => void = () => undefined

const words = (): Words => WORDS[language]

function chooseLanguage(): Language {
  const wanted = [loadLanguage(), ...navigator.languages.map((tag) => tag.slice(0, 2))]
  return wanted.map((tag) => LANGUAGES.find((known) => known === tag)).find((known) => known !== undefined) ?? 'en'
}

/** Puts a screen on show; `draw` is called again when the language changes. */
function show(draw: () => View, spoken: () => string = () => ''): AbortSignal {
  leaving.abort()
  leaving = new AbortController()
  redraw = () => {
    document.documentElement.lang = language
    byId('language').textContent = words().other
    byId('device').textContent = device?.name ?? ''
    byId('view').replaceChildren(...draw().filter((part) => part !== null))
    byId('live').textContent = spoken()
  }
  redraw()
  const first = byId('view').querySelector<HTMLElement>('h1')
  first?.focus()
  return leaving.signal
}

function connected(yes: boolean): void {
  const sign = byId('connection')
  sign.textContent = words().offline
  sign.hidden = yes
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
    connected(true)
    showChoices()
  } catch (error) {
    showPairing(() => pairingProblem(error), error instanceof UnreachableError ? code : '')
  }
}

function pairingProblem(error: unknown): string {
  if (error instanceof UnreachableError) return words().pairUnknown
  if (!(error instanceof RefusedError)) return words().trouble
  if (error.status === 429) return words().tooMany
  return error.status === 400 ? words().badCode : words().trouble
}

function showChoices(notice: (() => string) | null = null): void {
  const paired = device
  clearCurrent()
  if (paired === null) {
    showPairing()
    return
  }
  const taps = { choose: (template: string) => void ask(template), unpair: () => void unpair() }
  show(() => chooseView(words(), { device: paired, notice: notice?.() ?? null }, taps))
}

async function ask(template: string): Promise<void> {
  const signal = show(() => startingView(words(), template))
  try {
    const made = await client.createVerification({ template })
    connected(true)
    const lifeMs = Date.parse(made.expires_at) - Date.parse(made.created_at)
    const current = { id: made.id, template, walletUri: made.wallet_uri ?? '', deadline: Date.now() + lifeMs }
    if (signal.aborted) return
    saveCurrent(current)
    await showCode(current)
  } catch (error) {
    fall(error)
  }
}

async function showCode(current: Current): Promise<void> {
  const signal = show(() => askView(words(), current, { cancel: () => showChoices() }))
  void countDown(current, signal)
  try {
    const verification = await watchVerification(client, current.id, { signal, connected })
    if (verification !== null) await showOutcome(current, verification)
  } catch (error) {
    fall(error)
  }
}

/** By the till's own clock, for people only: the service decides when time is up. */
async function countDown(current: Current, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const seconds = Math.max(0, Math.ceil((current.deadline - Date.now()) / 1000))
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    byId('time').textContent = words().left(time)
    await pause(1_000, signal)
  }
}

async function showOutcome(current: Current, verification: Verification): Promise<void> {
  const { template } = current
  const outcome = () => outcomeOf(verification, template, words())
  const portrait = imageAddress(outcome().portrait)
  const seconds = outcome().facts.length > 0 || portrait !== null ? READING_SECONDS : GLANCE_SECONDS
  const draw = () =>
    outcomeView(words(), { template, outcome: outcome(), seconds, portrait }, { done: () => showChoices() })
  const spoken = () => ({ yes: words().yes, no: words().no, none: words().timeUp })[outcome().kind]
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
  if (error instanceof UnreachableError) connected(false)
  showChoices(() => problemWords(error))
}

const REFUSALS: Readonly<Record<string, (words: Words) => string>> = {
  quota_exceeded: ({ quota }) => quota,
  rate_limit_exceeded: ({ tooMany }) => tooMany,
  template_not_allowed: ({ notAllowed }) => notAllowed,
  unknown_template: ({ notAllowed }) => notAllowed,
  session_not_found: ({ gone }) => gone,
}

function problemWords(error: unknown): string {
  if (error instanceof UnreachableError) return words().noConnection
  return (error instanceof RefusedError ? REFUSALS[error.code]?.(words()) : undefined) ?? words().trouble
}

async function pairAgain(error: PairAgainError): Promise<void> {
  clearCurrent()
  await client.forget()
  const { reason } = error
  if (reason === 'not_paired') return showPairing()
  showPairing(() => (reason === 'refresh_lost' ? words().lost : words().revoked))
}

async function unpair(): Promise<void> {
  await client.forget()
  showPairing()
}

async function beat(): Promise<void> {
  if (device === null || document.visibilityState !== 'visible') return
  try {
    await client.listVerifications({ limit: 1 })
    connected(true)
  } catch (error) {
    if (error instanceof PairAgainError) fall(error)
    else if (error instanceof UnreachableError) connected(false)
  }
}

async function start(): Promise<void> {
  byId('language').addEventListener('click', () => {
    language = language === 'en' ? 'de' : 'en'
    saveLanguage(language)
    redraw()
  })
  addEventListener('offline', () => connected(false))
  addEventListener('online', () => void beat())
  document.addEventListener('visibilitychange', () => void beat())
  setInterval(() => void beat(), HEARTBEAT_MS)
  void keepOfflineShell()
  const linked = pairingCodeIn(location.hash)
  if (location.hash !== '') history.replaceState(null, '', location.pathname)
  device = await client.device()
  const current = loadCurrent()
  if (device === null) showPairing(null, linked ?? '')
  else if (current !== null && Date.now() < current.deadline + STALE_MS) await showCode(current)
  else showChoices()
}

await start()
