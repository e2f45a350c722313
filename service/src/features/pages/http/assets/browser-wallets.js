// The Digital Credentials API: the browser shows the wallets it knows, on this device or on a phone nearby.

/** Fetches the offer before the click, because waiting after it could cost the page its right to ask. */
export async function offerBrowser(page, part, ended) {
  if (typeof DigitalCredential === 'undefined') return
  const address = `/wallet/dc-api/${page.dataset.verification}`
  const requests = await fetchOffer(address)
  if (requests.length === 0 || ended.aborted) return
  const [button, ways] = [part.querySelector('[data-ask]'), page.querySelector('[data-ways]')]
  part.hidden = false
  foldWays(page, ways)
  button.disabled = false
  button.addEventListener('click', () => {
    // Must be the first call in the task of the click.
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
        // Browsers do not distinguish "cancelled" from "no wallet", so there is no message. The other options are
        // shown.
        note(part, outcome === 'failed' ? 'failed' : null)
        ways.open = true
        page.querySelector('[data-same]').hidden = false
        button.disabled = false
      })
  })
}

/**
 * On a narrow screen, folds all other options, also the link for this device. On a wide one the QR code stays below the
 * button, and the link appears if asking failed.
 */
function foldWays(page, ways) {
  if (!matchMedia('(width < 760px)').matches) {
    page.querySelector('[data-same]').hidden = true
    return
  }
  ways.open = false
  ways.classList.add('folded')
  ways.querySelector('[data-another]').hidden = true
  ways.querySelector('[data-others]').hidden = false
  ways.querySelector('summary').after(page.querySelector('[data-same]'))
}

/** Returns the requests of the offer that this browser supports; none if there is no offer. */
async function fetchOffer(address) {
  try {
    const answer = await fetch(address, { cache: 'no-store' })
    if (!answer.ok) return []
    const { requests } = await answer.json()
    // Older browsers cannot say which protocols they allow, so all are tried.
    const allows = DigitalCredential.userAgentAllowsProtocol ?? (() => true)
    return requests.filter(({ protocol }) => allows.call(DigitalCredential, protocol))
  } catch {
    return []
  }
}

/** Passes the wallet's answer on unchanged. Retries if the service is busy, because the holder has answered already. */
async function send(address, { protocol, data }) {
  const body = JSON.stringify({ protocol, data })
  for (let tries = 3; ; tries -= 1) {
    const answer = await post(address, body)
    if (answer !== null && answer.ok) {
      const { redirect_uri: redirectUri } = await answer.json()
      if (redirectUri !== undefined && goOn(redirectUri)) return 'taken'
      // An error from the wallet is recorded and ends nothing.
      return data !== null && typeof data === 'object' && 'error' in data ? 'nothing' : 'taken'
    }
    // Another answer came first, or the request has expired. The next status shows it.
    if (answer !== null && (answer.status === 409 || answer.status === 410)) return 'taken'
    if (answer?.status === 403) {
      // It is not this browser's, or no longer. The page that is loaded now binds it again, or says where it is open.
      location.reload()
      return 'taken'
    }
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

/**
 * Goes to the merchant with the response code. If that is this very page, it stays. A sign-in also stays, because it
 * leaves by itself, and leaving twice would abort it.
 */
function goOn(redirectUri) {
  if (document.querySelector('[data-onward]') !== null) return false
  const url = new URL(redirectUri)
  if (url.origin + url.pathname === location.origin + location.pathname) return false
  location.assign(url.href)
  return true
}

function note(part, shown) {
  for (const text of part.querySelectorAll('[data-note]')) text.hidden = text.dataset.note !== shown
}
