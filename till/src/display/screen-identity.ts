// The identity of this screen: a token that it creates, and the code derived from it to type at a till.

import { newCode, symbolsOf } from './display-code.ts'

const TOKEN = 'vidimus.display.token'
const TOKEN_TEXT = /^[A-Za-z0-9_-]{43}$/

interface ScreenIdentity {
  readonly code: string
  /** null: the page is not in a secure context and cannot hash. Then only a till in this browser can find it. */
  readonly token: string | null
}

export async function screenIdentity(): Promise<ScreenIdentity> {
  if (globalThis.crypto.subtle === undefined) return { code: newCode(), token: null }
  const token = keptToken(await ownedStorage())
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  return { code: symbolsOf(new Uint8Array(hash)), token }
}

/** The first window of a browser keeps its identity after a restart. A second window is another screen. */
function ownedStorage(): Promise<Storage> {
  return new Promise((resolve) => {
    const lockRequest = navigator.locks.request(TOKEN, { ifAvailable: true }, (lock) => {
      resolve(lock === null ? sessionStorage : localStorage)
      // Holds the lock until the window is closed.
      return lock === null ? undefined : new Promise<void>(() => undefined)
    })
    lockRequest.catch(() => resolve(sessionStorage))
  })
}

function keptToken(storage: Storage): string {
  const kept = storage.getItem(TOKEN)
  if (kept !== null && TOKEN_TEXT.test(kept)) return kept
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  const token = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
  storage.setItem(TOKEN, token)
  return token
}
