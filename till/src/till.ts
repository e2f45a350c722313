// The till: pairs once, then offers templates, shows the code and the outcome, and starts over.

import { createDeviceClient } from '../../sdk/typescript/src/device/device-client.ts'
import { PairAgainError, UnreachableError } from '../../sdk/typescript/src/device/device-errors.ts'
import { type AskingWorld, ask, showCode } from './asking.ts'
import { openBar } from './bar.ts'
import { cancelWaiting } from './cancelling.ts'
import { watchConnection } from './connection.ts'
import {
  browserStorage,
  clearCurrent,
  clearPairing,
  isSoundOn,
  loadCurrent,
  loadLook,
  loadRecent,
  loadShop,
  loadTemplates,
  saveLook,
  saveShop,
  saveTemplates,
} from './device/browser-storage.ts'
import { guardKiosk } from './device/kiosk.ts'
import { notePin, sendPinNotes } from './device/pin-notes.ts'
import { canScan, type Scan, scan, takeLinkedCode } from './device/scanner.ts'
import { openSignals } from './device/signals.ts'
import { keepAwake } from './device/wake-lock.ts'
import { openDisplayLink } from './display/display-link.ts'
import { type Look, NO_LOOK, readLook, wearLook } from './look.ts'
import { keepOfflineShell } from './offline-shell.ts'
import { pairingProblem, problemText } from './problems.ts'
import { isScreenIdle, redraw, redrawBar, setBar, show } from './screen.ts'
import { openSettings } from './settings.ts'
import { isTest, state, words } from './state.ts'
import { chooseView, pairView, scanView, startingView } from './views.ts'

/** An outcome that arrived while the till was closed is not shown later. */
const STALE_MS = 10 * 60_000
/** Refreshes the tokens, and detects a revocation while the till is idle. */
const HEARTBEAT_MS = 60_000

const connection = watchConnection(connectionChanged)
const client = createDeviceClient({
  baseUrl: location.origin,
  storage: browserStorage(),
  fetch: (...parameters) => connection.fetch(...parameters),
})
const shell = keepOfflineShell(redrawBar, () => loadCurrent() === null)
const signals = openSignals(isSoundOn)
const display = openDisplayLink({
  service: client,
  language: () => state.language,
  shop: () => state.shop,
  look: () => state.look,
  isTest,
  // Keeps a PIN that is being typed.
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
    onSettings: () =>
      openSettings({ display, back: () => showChoices(), unpair, onPin: (change) => void notePin(client, change) }),
  }),
)
const asking: AskingWorld = { client, connection, display, signals, checkDisplay, done: showChoices, handleFailure }

function connectionChanged(up: boolean): void {
  redrawBar()
  if (!up) return
  // The notice about the connection is outdated.
  if (document.querySelector('.choices') !== null) redraw()
  sendPending()
}

/** Sends what could not be sent without a connection. */
function sendPending(): void {
  void cancelWaiting(client)
  void sendPinNotes(client)
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

/** Loads templates, shop name and environment. Without an answer the till keeps what it knew. */
async function learnTemplates(): Promise<void> {
  const device = state.device
  try {
    const learned = await client.listTemplates()
    const shop = await readShop()
    if (state.device !== device || device === null) return
    const before = JSON.stringify([state.templates, state.shop, state.look])
    const changed = JSON.stringify([learned, shop.name, shop.look]) !== before
    state.templates = learned
    setShop(shop)
    saveTemplates(learned)
    if (shop.name !== null) saveShop(shop.name)
    saveLook(shop.look)
    if (!changed) return
    redraw()
    display.refresh()
  } catch (error) {
    if (error instanceof PairAgainError) handleFailure(error)
  }
}

interface Shop {
  readonly name: string | null
  readonly look: Look
}

/** Name and look only. A service of the previous release does not have them, and the till continues without. */
const readShop = (): Promise<Shop> =>
  client.readShop().then(
    ({ name, look }) => ({ name, look: readLook(look) }),
    () => ({ name: state.shop, look: state.look }),
  )

function setShop({ name, look }: Shop): void {
  state.shop = name
  state.look = look
  wearLook(look)
}

function showChoices(notice?: () => string | null): void {
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
  show(() => chooseView(words(), shown(), { choose: (template) => void ask(asking, template) }), { idle: true })
}

/** Without an answer, the last known state stays. */
async function checkDisplay(): Promise<void> {
  await display.look().catch((error) => {
    if (error instanceof PairAgainError) throw error
  })
}

/** Handles a failure: returns to pairing, or to the choices with a reason. */
function handleFailure(error: unknown): void {
  if (error instanceof PairAgainError) {
    void pairAgain(error)
    return
  }
  const lost = error instanceof UnreachableError
  showChoices(() => (lost && connection.isUp() ? null : problemText(words(), error)))
}

async function pairAgain(error: PairAgainError): Promise<void> {
  await disconnectDisplay()
  await forgetPairing()
  const { reason } = error
  if (reason === 'not_paired') return showPairing()
  showPairing(() => (reason === 'refresh_lost' ? words().lost : words().revoked))
}

async function unpair(): Promise<void> {
  const name = state.device?.name ?? ''
  show(() => startingView(words(), words().unpair))
  await disconnectDisplay()
  const isKnown = await client.unpair().then(
    () => true,
    (error) => error instanceof PairAgainError && (error.reason === 'revoked' || error.reason === 'not_paired'),
  )
  await forgetPairing()
  showPairing(isKnown ? null : () => words().unpairedHere(name))
}

/**
 * May fail if the till is revoked or offline. The screen is then released with the till's right, or a day after its
 * last request.
 */
const disconnectDisplay = () => display.disconnect().catch(() => undefined)

async function forgetPairing(): Promise<void> {
  clearPairing()
  state.templates = null
  setShop({ name: null, look: NO_LOOK })
  await client.forget()
}

async function beat(): Promise<void> {
  if (state.device === null || document.visibilityState !== 'visible') return
  await learnTemplates()
  await checkDisplay().catch(handleFailure)
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
  if (state.device !== null) setShop({ name: loadShop(), look: loadLook() })
  const current = loadCurrent()
  if (state.device !== null) {
    void learnTemplates()
    sendPending()
    void checkDisplay().catch(handleFailure)
  }
  if (state.device === null) showPairing(null, linked ?? '')
  else if (current !== null && Date.now() < current.deadline + STALE_MS) await showCode(asking, current)
  else showChoices()
}
