// The Digital Credentials API: the browser shows the wallets it knows, on this device or on a phone nearby.

/** Fetches the offer before the click. A click allows the page to ask a wallet only for a moment, and waiting could exceed it. */
export async function offerBrowser(page, part, ended) {
  if (typeof DigitalCredential === 'undefined') return
  const address = `/wallet/dc-api/${page.dataset.verification}`
  const requests = await fetchOffer(address)
  if (requests.length === 0 || ended.aborted) return
  const [button, ways] = [part.querySelector('[data-ask]'), page.querySelector('[data-ways]')]
  part.hidden = false
  foldOptions(page, ways)
  button.disabled = false
  button.addEventListener('click', () => {
    // Must be the first call after the click.
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
        // Browsers do not distinguish "cancelled" from "no wallet", so no message is shown, only the other options.
        note(part, outcome === 'failed' ? 'failed' : null)
        ways.open = true
        page.querySelector('[data-same]').hidden = false
        button.disabled = false
      })
  })
}

/**
 * On a narrow screen, folds all other options, even the link for this device. On a wide screen the QR code stays below
 * the button, and the link appears after a failed attempt.
 */
function foldOptions(page, ways) {
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
    // Older browsers cannot say which protocols they allow, so all protocols are tried.
    const allows = DigitalCredential.userAgentAllowsProtocol ?? (() => true)
    return requests.filter(({ protocol }) => allows.call(DigitalCredential, protocol))
  } catch {
    return []
  }
}

/** Sends the wallet's answer unchanged. Retries if the service is busy, because the holder has already answered. */
async function send(address, { protocol, data }) {
  const body = JSON.stringify({ protocol, data })
  for (let tries = 3; ; tries -= 1) {
    const answer = await post(address, body)
    if (answer !== null && answer.ok) {
      const { redirect_uri: redirectUri } = await answer.json()
      if (redirectUri !== undefined && goOn(redirectUri)) return 'taken'
      // The service records an error from the wallet; the verification stays open.
      return data !== null && typeof data === 'object' && 'error' in data ? 'nothing' : 'taken'
    }
    // Another answer came first, or the request has expired. The next step in the progress shows the outcome.
    if (answer !== null && (answer.status === 409 || answer.status === 410)) return 'taken'
    if (answer?.status === 403) {
      // The verification is not bound to this browser, or no longer. Reloading binds it again, or says where it is open.
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
 * Goes to the merchant with the response code. Stays if the address is this page. A sign-in also stays, because it
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
