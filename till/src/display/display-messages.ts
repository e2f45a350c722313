// Messages between till and customer screen in two windows of one browser. They contain no outcome, person or token.

import { LANGUAGES, type Language } from '../../../labels/catalogue.ts'
import type { AgreedItem } from '../agreement.ts'
import { type Look, readLook } from '../look.ts'

export type Scene =
  | { readonly kind: 'welcome' }
  | {
      readonly kind: 'code'
      /** null: a till of an earlier version did not send it. */
      readonly question: Question | null
      readonly walletUri: string
      readonly agreed: readonly AgreedItem[]
    }
  /** Answered, cancelled or expired. The guest does not learn which. */
  | { readonly kind: 'done' }

/** The template that the till asks with. */
export interface Question {
  readonly template: string
  /** For a merchant's own template; null: built in, and named in the screen's language. */
  readonly title: string | null
}

export interface TillSays {
  readonly from: 'till'
  /** The name that guests know; null: not known yet. */
  readonly shop: string | null
  readonly look: Look
  readonly language: Language
  readonly test: boolean
  readonly scene: Scene
}

export interface DisplaySays {
  readonly from: 'display'
  /** `hello`: opened, requests the content. `here`: shows it. `gone`: closed. */
  readonly kind: (typeof KINDS)[number]
}

/** Longer than any name that the service accepts. */
const LINE_LENGTH_MAX = 300
const KINDS = ['hello', 'here', 'gone'] as const
/** A link for wallets only, at most as long as a QR code can contain. */
const WALLET_LINK = /^[a-z][a-z0-9+.-]{0,40}:\/\/[\x21-\x7e]{0,2900}$/

export const openChannel = (code: string) => new BroadcastChannel(`vidimus.till.display.${code}`)

/** Returns null for anything that a till would not send. */
export function readTillSays(data: unknown): TillSays | null {
  const { from, shop, look, language, test, scene } = (data ?? {}) as Partial<Record<keyof TillSays, unknown>>
  const known = LANGUAGES.find((one) => one === language)
  const shown = readScene(scene)
  if (from !== 'till' || known === undefined || typeof test !== 'boolean' || shown === null) return null
  return { from, shop: readLine(shop), look: readLook(look), language: known, test, scene: shown }
}

export function readScene(value: unknown): Scene | null {
  const { kind, question, walletUri, agreed } = (value ?? {}) as Readonly<Record<string, unknown>>
  if (kind === 'welcome' || kind === 'done') return { kind }
  if (kind !== 'code' || typeof walletUri !== 'string' || !WALLET_LINK.test(walletUri)) return null
  if (!Array.isArray(agreed) || !agreed.every(isAgreedItem)) return null
  return { kind, question: readQuestion(question), walletUri, agreed }
}

function readQuestion(value: unknown): Question | null {
  const { template, title } = (value ?? {}) as Readonly<Record<string, unknown>>
  const key = readLine(template)
  return key === null ? null : { template: key, title: readLine(title) }
}

/** A name to display; null for anything else. */
export const readLine = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= LINE_LENGTH_MAX ? value : null

function isAgreedItem(value: unknown): value is AgreedItem {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown }
  return typeof type === 'string' && typeof data === 'string'
}

export function readDisplaySays(data: unknown): DisplaySays | null {
  const { from, kind } = (data ?? {}) as { from?: unknown; kind?: unknown }
  const known = KINDS.find((one) => one === kind)
  return from === 'display' && known !== undefined ? { from, kind: known } : null
}
