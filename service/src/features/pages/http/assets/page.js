// Runs the hosted page: countdown, wallets of the browser, progress. Without this script, a person can reload.

import { offerBrowser } from './browser-wallets.js'
import { follow } from './progress.js'

if (location.hash.includes('response_code=')) {
  // A wallet may return with a response code, which is for the merchant. Removes the code from the address, history and
  // copied links.
  history.replaceState(null, '', location.pathname + location.search)
}

const OPEN = ['waiting', 'fetched', 'checking']

/** The remaining time is shown only when it is short. */
const TIME_SHOWN_SECONDS = 120

/** After this long without an answer, a form may be submitted again. */
const SENDING_MS = 10_000

const page = document.querySelector('[data-verification]')
if (page !== null && OPEN.includes(page.dataset.step)) watch(page)
offerWayBack()
for (const form of document.forms) sendOnce(form)

/**
 * Prevents a second submission. It would abort the first request and lose its answer: the code for a sign-in's client,
 * or the only use of a link.
 */
function sendOnce(form) {
  let sentAt = Number.NEGATIVE_INFINITY
  form.addEventListener('submit', (event) => {
    if (event.timeStamp - sentAt < SENDING_MS) return event.preventDefault()
    sentAt = event.timeStamp
  })
}

/** On a page without a next step: offers to go back, if the browser knows where the person came from. */
function offerWayBack() {
  const part = document.querySelector('[data-go-back]')
  if (part === null || history.length < 2) return
  part.hidden = false
  part.addEventListener('click', () => history.back())
}

/** Binds the verification to this browser if it is not bound yet. Only the script binds, because link previews do not run it. */
async function hold(page) {
  if (page.dataset.hold === undefined) return
  try {
    const answer = await fetch(`/verify/${page.dataset.verification}/hold`, { method: 'POST' })
    const { held } = answer.ok ? await answer.json() : { held: 'unknown' }
    if (held === 'elsewhere') location.reload()
    if (held === 'no_cookie') page.querySelector('[data-cookies]').hidden = false
  } catch {
    // Offline, so the browser cannot ask a wallet either. Reloading tries again.
  }
}

function watch(page) {
  const ended = new AbortController()
  keepSubject(page)
  countDown(page, ended.signal)
  foldCode(page)
  showOffline(page, ended.signal)
  page.querySelector('[data-code-again]').addEventListener('click', () => showCode(page))
  page.querySelector('[data-wallet-again]').addEventListener('click', () => page.querySelector('[data-same] a').click())
  // The person opened the wallet on this device, so no phone has scanned the code.
  page.querySelector('[data-waiting]').addEventListener('click', ({ target }) => {
    if (target.closest('a') !== null) page.classList.add('here')
  })
  const browser = page.querySelector('[data-browser]')
  hold(page).then(() => browser !== null && offerBrowser(page, browser, ended.signal))
  // A person who cancels is sent back. Following the progress would navigate elsewhere and undo that.
  page.querySelector('[data-leave]')?.addEventListener('click', () => ended.abort())
  follow(`/verify/${page.dataset.verification}`, ended.signal, (step) => {
    if (ended.signal.aborted) return
    if (!OPEN.includes(step)) ended.abort()
    show(page, step)
  })
}

/** After the end the service no longer knows what was confirmed, so the address keeps the kind of transaction for a reload. */
function keepSubject({ dataset }) {
  if (dataset.about === undefined) return
  const address = new URL(location.href)
  address.searchParams.set('about', dataset.about)
  history.replaceState(null, '', address)
}

function countDown(page, ended) {
  // Uses the service's clock, because this device's clock may be wrong.
  const offset = Number(page.dataset.now) - Date.now()
  const end = Number(page.dataset.expires)
  const time = page.querySelector('[data-time]')
  const countdown = page.querySelector('[data-countdown]')
  const tick = () => {
    const left = Math.max(0, Math.ceil((end - Date.now() - offset) / 1000))
    const text = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
    if (countdown.textContent !== text) countdown.textContent = text
    time.hidden = left > TIME_SHOWN_SECONDS
  }
  tick()
  const timer = setInterval(tick, 250)
  ended.addEventListener('abort', () => {
    clearInterval(timer)
    time.hidden = true
  })
}

/** Folds the code on a narrow screen, where the wallet is usually on the same device. The server can only guess the width. */
function foldCode(page) {
  page.querySelector('[data-ways]').open = !matchMedia('(width < 760px)').matches
}

function show(page, step) {
  if (page.dataset.step === step) return
  page.dataset.step = step
  const isOpen = OPEN.includes(step)
  page.classList.toggle('two', isOpen)
  for (const part of document.querySelectorAll('[data-open]')) part.hidden = !isOpen
  page.querySelector('[data-waiting]').hidden = step !== 'waiting' && !(isOpen && asksInBrowser(page))
  page.querySelector('[data-ways]').hidden = step !== 'waiting'
  for (const part of page.querySelectorAll('[data-show]')) part.hidden = part.dataset.show !== step
  for (const item of page.querySelectorAll('[data-at]')) {
    if (item.dataset.at === step) item.setAttribute('aria-current', 'step')
    else item.removeAttribute('aria-current')
  }
  if (isOpen) return
  // The stream of steps has no reasons. Only the page of the bound browser contains the reason, so the page is reloaded.
  if (page.dataset.onward === undefined && step !== 'completed') return void location.reload()
  const title = page.querySelector(`[data-show=${step}] .outcome`)
  document.title = title.textContent
  // A sign-in continues at its client. `replace` keeps this page out of the history.
  if (page.dataset.onward !== undefined) location.replace(page.dataset.onward)
}

/** If the browser asks a wallet, its button stays visible: another device may have fetched the request. */
function asksInBrowser(page) {
  const browser = page.querySelector('[data-browser]')
  return browser !== null && !browser.hidden
}

/** Shows the code again. It is still valid if another wallet fetched the request or if the person closed the wallet. */
function showCode(page) {
  page.querySelector('[data-waiting]').hidden = false
  const ways = page.querySelector('[data-ways]')
  ways.hidden = false
  ways.open = true
  for (const part of page.querySelectorAll('[data-show]')) part.hidden = part.dataset.show !== 'waiting'
}

/** Dims and disables code, button and countdown while offline. */
function showOffline(page, ended) {
  const text = page.querySelector('[data-offline] span')
  const tell = () => {
    text.hidden = navigator.onLine
    page.classList.toggle('away', !navigator.onLine)
    for (const part of page.querySelectorAll('[data-waiting], [data-time]')) part.inert = !navigator.onLine
  }
  tell()
  for (const change of ['online', 'offline']) addEventListener(change, tell, { signal: ended })
  ended.addEventListener('abort', () => {
    text.hidden = true
    page.classList.remove('away')
  })
}
