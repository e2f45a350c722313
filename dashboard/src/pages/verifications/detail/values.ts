// Recognizes the kind of a claim's value: yes or no, date, country, portrait, table.

import { type Portrait, portraitOf } from './portrait.ts'

export type Shown =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'answer'; readonly yes: boolean }
  | { readonly kind: 'text'; readonly text: string; readonly length: number }
  | { readonly kind: 'date'; readonly day: string }
  | { readonly kind: 'country'; readonly code: string }
  | { readonly kind: 'sex'; readonly code: number }
  | { readonly kind: 'portrait'; readonly portrait: Portrait }
  | { readonly kind: 'privileges'; readonly rows: readonly Privilege[] }
  | { readonly kind: 'list'; readonly items: readonly Shown[] }
  | { readonly kind: 'parts'; readonly parts: readonly (readonly [name: string, value: Shown])[] }

/** A line of a driving licence (ISO/IEC 18013-5 §7.2.4). */
export interface Privilege {
  readonly category: string
  readonly issued: string | null
  readonly expires: string | null
  /** The codes of restrictions and conditions. */
  readonly codes: readonly string[]
}

const TEXT_SHOWN = 300
const DEPTH_MAX = 4
const COUNTRIES = new Set(['nationality', 'nationalities', 'country', 'issuing_country', 'resident_country'])
const PORTRAITS = new Set(['portrait', 'picture'])
const DAY = /^\d{4}-\d{2}-\d{2}(?=$|T)/

export function shownValue(name: string, value: unknown, depth = 0): Shown {
  if (value === null || value === undefined || value === '') return { kind: 'nothing' }
  if (typeof value === 'boolean') return { kind: 'answer', yes: value }
  if (typeof value === 'string') return shownText(name, value)
  if (name === 'sex' && typeof value === 'number') return { kind: 'sex', code: value }
  if (typeof value !== 'object' || depth >= DEPTH_MAX) return plainText(textOf(value))
  if (Array.isArray(value)) {
    const rows = name === 'driving_privileges' ? privilegesOf(value) : null
    if (rows !== null) return { kind: 'privileges', rows }
    return { kind: 'list', items: value.map((item) => shownValue(name, item, depth + 1)) }
  }
  const parts = Object.entries(value).map(([part, inner]) => [part, shownValue(part, inner, depth + 1)] as const)
  return { kind: 'parts', parts }
}

function shownText(name: string, text: string): Shown {
  if (PORTRAITS.has(name)) return { kind: 'portrait', portrait: portraitOf(text) }
  if (COUNTRIES.has(name) && /^[A-Z]{2}$/.test(text)) return { kind: 'country', code: text }
  const [day] = DAY.exec(text) ?? []
  return day !== undefined && isDay(day) ? { kind: 'date', day } : plainText(text)
}

/** Whether the date exists. */
function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

function plainText(text: string): Shown {
  return { kind: 'text', text: text.length > TEXT_SHOWN ? `${text.slice(0, 80)}…` : text, length: text.length }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** Returns null if one of them is malformed. Then the value is shown as it is. */
function privilegesOf(list: readonly unknown[]): readonly Privilege[] | null {
  const rows = list.map(privilegeOf)
  return rows.every((row) => row !== null) && rows.length > 0 ? rows : null
}

function privilegeOf(value: unknown): Privilege | null {
  if (!isObject(value) || typeof value.vehicle_category_code !== 'string') return null
  const day = (text: unknown) => (typeof text === 'string' ? (DAY.exec(text)?.[0] ?? text) : null)
  const codes = Array.isArray(value.codes) ? value.codes.flatMap(codeOf) : []
  return {
    category: value.vehicle_category_code,
    issued: day(value.issue_date),
    expires: day(value.expiry_date),
    codes,
  }
}

/** `70`, `>=24`: a code with its sign and value. */
function codeOf(value: unknown): string[] {
  if (!isObject(value) || typeof value.code !== 'string') return []
  return [[value.code, value.sign, value.value].filter((part) => typeof part === 'string' && part !== '').join(' ')]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
