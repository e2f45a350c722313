// What till and customer screen say to each other: two windows of one browser, on a channel that the screen's code names. The screen
// learns the link of the QR code, the language, and whether it is a test: never an outcome, never who anybody is, never a token.

import { LANGUAGES, type Language } from '../../../labels/catalogue.ts'

export type Scene =
  | { readonly kind: 'welcome' }
  | { readonly kind: 'code'; readonly walletUri: string }
  /** Answered, cancelled or too late: the guest is not told which. */
  | { readonly kind: 'done' }

export interface TillSays {
  readonly from: 'till'
  readonly language: Language
  readonly test: boolean
  readonly scene: Scene
}

export interface DisplaySays {
  readonly from: 'display'
  /** Opened, and asks what to show; shows what it was told; closed. */
  readonly kind: (typeof KINDS)[number]
}

const KINDS = ['hello', 'here', 'gone'] as const
const DIGITS = 4
/** A link for wallets and for nothing else, as long as one code can show. */
const WALLET_LINK = /^[a-z][a-z0-9+.-]{0,40}:\/\/[\x21-\x7e]{0,2900}$/

export const isDisplayCode = (text: string) => new RegExp(`^\\d{${DIGITS}}$`).test(text)

export function newDisplayCode(): string {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1))
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

export const openChannel = (code: string) => new BroadcastChannel(`vidimus.till.display.${code}`)

/** null for anything that the other side would not have said. */
export function readTillSays(data: unknown): TillSays | null {
  const { from, language, test, scene } = (data ?? {}) as Partial<Record<keyof TillSays, unknown>>
  const known = LANGUAGES.find((one) => one === language)
  const shown = readScene(scene)
  if (from !== 'till' || known === undefined || typeof test !== 'boolean' || shown === null) return null
  return { from, language: known, test, scene: shown }
}

function readScene(value: unknown): Scene | null {
  const { kind, walletUri } = (value ?? {}) as { kind?: unknown; walletUri?: unknown }
  if (kind === 'welcome' || kind === 'done') return { kind }
  if (kind !== 'code' || typeof walletUri !== 'string' || !WALLET_LINK.test(walletUri)) return null
  return { kind, walletUri }
}

export function readDisplaySays(data: unknown): DisplaySays | null {
  const { from, kind } = (data ?? {}) as { from?: unknown; kind?: unknown }
  const known = KINDS.find((one) => one === kind)
  return from === 'display' && known !== undefined ? { from, kind: known } : null
}
