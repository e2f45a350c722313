// What till and customer screen say to each other in two windows of one browser, on a channel that the screen's code names. The screen
// learns the link of the QR code, what the guest agrees to by it, the language, and whether it is a test: never an outcome, never who
// anybody is, never a token.

import { LANGUAGES, type Language } from '../../../labels/catalogue.ts'
import type { AgreedItem } from '../agreement.ts'

export type Scene =
  | { readonly kind: 'welcome' }
  | { readonly kind: 'code'; readonly walletUri: string; readonly agreed: readonly AgreedItem[] }
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
/** A link for wallets and for nothing else, as long as one code can show. */
const WALLET_LINK = /^[a-z][a-z0-9+.-]{0,40}:\/\/[\x21-\x7e]{0,2900}$/

export const openChannel = (code: string) => new BroadcastChannel(`vidimus.till.display.${code}`)

/** null for anything that the other side would not have said. */
export function readTillSays(data: unknown): TillSays | null {
  const { from, language, test, scene } = (data ?? {}) as Partial<Record<keyof TillSays, unknown>>
  const known = LANGUAGES.find((one) => one === language)
  const shown = readScene(scene)
  if (from !== 'till' || known === undefined || typeof test !== 'boolean' || shown === null) return null
  return { from, language: known, test, scene: shown }
}

export function readScene(value: unknown): Scene | null {
  const { kind, walletUri, agreed } = (value ?? {}) as { kind?: unknown; walletUri?: unknown; agreed?: unknown }
  if (kind === 'welcome' || kind === 'done') return { kind }
  if (kind !== 'code' || typeof walletUri !== 'string' || !WALLET_LINK.test(walletUri)) return null
  return Array.isArray(agreed) && agreed.every(isAgreedItem) ? { kind, walletUri, agreed } : null
}

function isAgreedItem(value: unknown): value is AgreedItem {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown }
  return typeof type === 'string' && typeof data === 'string'
}

export function readDisplaySays(data: unknown): DisplaySays | null {
  const { from, kind } = (data ?? {}) as { from?: unknown; kind?: unknown }
  const known = KINDS.find((one) => one === kind)
  return from === 'display' && known !== undefined ? { from, kind: known } : null
}
