// The hosted verification page: counts down, lets the browser ask a wallet where it can, asks how it stands, and shows the answer.
// Without it the page still works by reloading.

// A wallet may come back here with a response code. It is the merchant's: nobody needs it in this browser's history or in a copied link.
if (location.hash.includes('response_code=')) history.replaceState(null, '', location.pathname + location.search)

const page = document.querySelector('[data-verification]')
if (page !== null && page.dataset.state === 'pending') watch(page)

function watch(page) {
  // The service's clock counts, not this machine's.
  const offset = Number(page.dataset.now) - Date.now()
  const end = Number(page.dataset.expires)
  const countdown = page.querySelector('[data-countdown]')
  const tick = () => {
    const left = Math.max(0, Math.ceil((end - Date.now() - offset) / 1000))
    // With names: "4:59" could be a time of day.
    const text = left < 60 ? `${left} s` : `${Math.floor(left / 60)} min ${left % 60} s`
    if (countdown.textContent !== text) countdown.textContent = text
  }
  tick()
  const timer = setInterval(tick, 250)
  const ended = new AbortController()
  const browser = page.querySelector('[data-browser]')
  if (browser !== null) offerBrowser(page, browser, ended.signal)
  ask(page, 1500).then((state) => {
    clearInterval(timer)
    ended.abort()
    show(page, state)
    // A sign-in goes on where it ends; this page is nothing to come back to.
    if (page.dataset.onward !== undefined) location.replace(page.dataset.onward)
  })
}

/** Asks until it is no longer pending; more seldom while nobody looks or the network is away. */
async function ask(page, pause) {
  for (let wait = pause; ; ) {
    await new Promise((resolve) => setTimeout(resolve, wait))
    wait = document.hidden ? pause * 4 : pause
    try {
      const answer = await fetch(`/v1/verifications/${page.dataset.verification}/status`, { cache: 'no-store' })
      if (answer.status === 404) return 'expired'
      if (answer.ok) {
        const { status } = await answer.json()
        if (status !== 'pending') return status
      } else wait = pause * 4
    } catch {
      wait = pause * 4
    }
  }
}

function show(page, state) {
  page.dataset.state = state
  for (const part of page.querySelectorAll('[data-while]')) part.hidden = part.dataset.while !== state
  for (const part of page.querySelectorAll('[data-show]')) part.hidden = part.dataset.show !== state
}

// --- The Digital Credentials API: the browser shows the wallets it knows, on this device or on a phone nearby.

/** The offer is fetched before the click: whatever happens in between may cost the click its right to ask. */
async function offerBrowser(page, part, ended) {
  if (typeof DigitalCredential === 'undefined') return
  const address = `/wallet/dc-api/${page.dataset.verification}`
  const requests = await fetchOffer(address)
  if (requests.length === 0 || ended.aborted) return
  const [button, ways] = [part.querySelector('[data-ask]'), page.querySelector('[data-ways]')]
  part.hidden = false
  ways.open = false
  ways.querySelector('summary').hidden = false
  button.disabled = false
  button.addEventListener('click', () => {
    // First of all, in the very task of the click.
    const answered = navigator.credentials.get({ digital: { requests }, signal: ended })
    button.disabled = true
    note(part, null)
    answered
      .then((credential) => {
        note(part, 'sending')
        return send(address, credential)
      })
      .catch((error) => (error.name === 'NotAllowedError' ? 'nothing' : 'failed'))
      .then((outcome) => {
        if (outcome === 'taken' || ended.aborted) return
        // Cancelled and "no wallet" look alike, so nothing is said; the other ways are there.
        note(part, outcome === 'failed' ? 'failed' : null)
        ways.open = true
        button.disabled = false
      })
  })
}

/** What of the offer this browser lets through; nothing where there is none. */
async function fetchOffer(address) {
  try {
    const answer = await fetch(address, { cache: 'no-store' })
    if (!answer.ok) return []
    const { requests } = await answer.json()
    // Older browsers cannot be asked: they are tried.
    const allows = DigitalCredential.userAgentAllowsProtocol ?? (() => true)
    return requests.filter(({ protocol }) => allows.call(DigitalCredential, protocol))
  } catch {
    return []
  }
}

/** Hands on what the wallet said, as it said it. A service that is busy or away for a moment is asked again: the holder was asked already. */
async function send(address, { protocol, data }) {
  const body = JSON.stringify({ protocol, data })
  for (let tries = 3; ; tries -= 1) {
    const answer = await post(address, body)
    if (answer !== null && answer.ok) {
      const { redirect_uri: redirectUri } = await answer.json()
      if (redirectUri !== undefined && goOn(redirectUri)) return 'taken'
      // An error of the wallet is taken note of, and ends nothing.
      return data !== null && typeof data === 'object' && 'error' in data ? 'nothing' : 'taken'
    }
    // Somebody else's answer came first, or it is too late: the next look at the status shows it.
    if (answer !== null && (answer.status === 409 || answer.status === 410)) return 'taken'
    const again = answer === null || answer.status === 429 || answer.status === 503
    if (!again || tries <= 1) return 'failed'
    const pause = Number(answer?.headers.get('retry-after')) || 1
    await new Promise((resolve) => setTimeout(resolve, pause * 1000))
  }
}

async function post(address, body) {
  try {
    return await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  } catch {
    return null
  }
}

/** To the merchant, with the response code. Where it leads to this very page, this page goes on by itself. */
function goOn(redirectUri) {
  const url = new URL(redirectUri)
  if (url.origin + url.pathname === location.origin + location.pathname) return false
  location.assign(url.href)
  return true
}

function note(part, shown) {
  for (const text of part.querySelectorAll('[data-note]')) text.hidden = text.dataset.note !== shown
}
