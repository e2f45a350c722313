// The Digital Credentials API: the browser shows the wallets it knows, on this device or on a phone nearby.

/** The offer is fetched before the click: whatever happens in between may cost the click its right to ask. */
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
        page.querySelector('[data-same]').hidden = false
        button.disabled = false
      })
  })
}

/**
 * On a narrow screen, every other way under one word: the link for this device too. On a wide one the code stays below the
 * button; the link appears if asking came to nothing.
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
    // Another answer came first, or it is too late: the next status shows it.
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

/**
 * To the merchant, with the response code. Where it leads to this very page, this page goes on by itself; so does that of a
 * sign-in, which must leave once and no more: a second way out would end what the first has begun.
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
