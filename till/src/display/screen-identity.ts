// Which screen this is: a token that it creates, and the code derived from it that is typed at a till.

import { newCode, symbolsOf } from './display-code.ts'

const TOKEN = 'vidimus.display.token'
const TOKEN_TEXT = /^[A-Za-z0-9_-]{43}$/

interface ScreenIdentity {
  readonly code: string
  /** null where the page has no means to hash (it was not served securely): then only a till in this browser can find it. */
  readonly token: string | null
}

export async function screenIdentity(): Promise<ScreenIdentity> {
  if (globalThis.crypto.subtle === undefined) return { code: newCode(), token: null }
  const token = keptToken(await ownedStorage())
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  return { code: symbolsOf(new Uint8Array(hash)), token }
}

/** The first window of a browser is the same screen after a restart; another window beside it is another screen. */
function ownedStorage(): Promise<Storage> {
  return new Promise((resolve) => {
    const held = navigator.locks.request(TOKEN, { ifAvailable: true }, (lock) => {
      resolve(lock === null ? sessionStorage : localStorage)
      // Until the window is closed.
      return lock === null ? undefined : new Promise<void>(() => undefined)
    })
    held.catch(() => resolve(sessionStorage))
  })
}

function keptToken(storage: Storage): string {
  const kept = storage.getItem(TOKEN)
  if (kept !== null && TOKEN_TEXT.test(kept)) return kept
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  const made = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
  storage.setItem(TOKEN, made)
  return made
}
