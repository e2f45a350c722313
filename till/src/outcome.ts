// The outcome of a verification at a till: yes, no or not proven, with only what the template asks for.

import { isEncrypted } from '../../sdk/typescript/src/result.ts'
import type { Verification } from '../../sdk/typescript/src/verification.ts'
import { failureOf, labelOf, type Words } from './words/words.ts'

export interface Outcome {
  /** Only a completed verification is yes or no. */
  readonly kind: 'yes' | 'no' | 'unproven'
  /** Why nothing was proven; null if something was. */
  readonly reason: string | null
  readonly facts: readonly Fact[]
  /** What else was affirmed, besides the template itself. */
  readonly affirmed: readonly string[]
  /** base64url of an image. */
  readonly portrait: string | null
}

export interface Fact {
  readonly label: string
  readonly value: string
}

const AGE_TEMPLATE = /^age_over_\d+$/
const DATE = /^\d{4}-\d{2}-\d{2}$/
const COUNTRIES = new Set(['nationality', 'nationalities', 'country', 'issuing_country', 'resident_country'])
const COUNTRY_CODE = /^[A-Z]{2}$/

/** Whether `claims` alone do not show yes or no: they are encrypted, or another credential may deny what they affirm. */
export const needsVerdict = (verification: Verification): boolean =>
  isEncrypted(verification) ||
  (verification.credentials ?? []).some(({ findings }) => findings.some(({ check }) => check === 'claim_conflict'))

/** `verdict`: the service's yes or no; null if the claims show it. */
export function outcomeOf(
  verification: Verification,
  template: string,
  words: Words,
  verdict: 'yes' | 'no' | null = null,
): Outcome {
  if (verification.status === 'failed') return unproven(failureOf(words, verification.error?.code ?? ''))
  if (verification.status !== 'completed') return unproven(words.timeUp)
  // Uses only the merged claims, which the template's outputs allow. The credentials are not for a till.
  const { claims } = verification
  if (claims === undefined) return unproven(words.forgotten)
  if (isEncrypted(verification))
    return verdict === null
      ? unproven(words.unsaid)
      : { kind: verdict, reason: null, facts: [], affirmed: [], portrait: null }
  const isAge = AGE_TEMPLATE.test(template)
  if (isAge && typeof claims[template] !== 'boolean') return unproven(words.unsaid)
  const yes = !deniesSomething(claims) && verdict !== 'no'
  const isOverruled = verdict === 'no' && !deniesSomething(claims)
  const portrait = typeof claims.portrait === 'string' ? claims.portrait : null
  const facts = Object.entries(claims)
    .filter(([name, value]) => typeof value !== 'boolean' && name !== 'portrait')
    .map(([name, value]) => ({ label: labelOf(words, name), value: textOf(name, value, words) }))
    .filter(({ value }) => value !== '')
  const denied = Object.entries(claims)
    .filter(([name, value]) => value === false && name !== template)
    .map(([name]) => ({ label: labelOf(words, name), value: words.no }))
  const affirmed = Object.entries(isOverruled ? {} : claims)
    .filter(([name, value]) => value === true && name !== template)
    .map(([name]) => labelOf(words, name))
  return { kind: yes ? 'yes' : 'no', reason: null, facts: [...facts, ...denied], affirmed, portrait }
}

/** At any depth, as in the service's own verdict, because a PID has its ages in an object. */
function deniesSomething(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === false
  return Object.values(value).some(deniesSomething)
}

const unproven = (reason: string): Outcome => ({
  kind: 'unproven',
  reason,
  facts: [],
  affirmed: [],
  portrait: null,
})

function textOf(name: string, value: unknown, words: Words): string {
  const listed = (entries: readonly (readonly [string, unknown])[]) =>
    entries
      .map(([each, member]) => textOf(each, member, words))
      .filter((text) => text !== '')
      .join(', ')
  if (typeof value === 'string') {
    if (COUNTRIES.has(name) && COUNTRY_CODE.test(value)) return countryName(value, words)
    return DATE.test(value) ? dateText(value, words) : value
  }
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return listed(value.map((each) => [name, each]))
  if (typeof value !== 'object' || value === null) return ''
  const members = value as Record<string, unknown>
  if (typeof members.formatted === 'string') return members.formatted
  if (typeof members.vehicle_category_code === 'string') return members.vehicle_category_code
  return listed(Object.entries(members))
}

/** A code without a name is shown as it is. */
const countryName = (code: string, { locale }: Words): string =>
  new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' }).of(code) ?? code

/** Without a time zone, because a date is the same day everywhere. Anything but a date is shown as it is. */
function dateText(value: string, words: Words): string {
  const day = new Date(`${value}T00:00:00Z`)
  if (Number.isNaN(day.getTime())) return value
  return day.toLocaleDateString(words.locale, { dateStyle: 'long', timeZone: 'UTC' })
}
