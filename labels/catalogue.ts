// What people call what is asked for: templates, claims, types of documents, and reasons, in every language that pages speak.
// One place for the hosted page, the dashboard, the till and the docs; each imports the languages it speaks.

export const LANGUAGES = ['en', 'de', 'fr', 'it', 'es', 'nl'] as const
export type Language = (typeof LANGUAGES)[number]

/** In its own words. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  it: 'Italiano',
  es: 'Español',
  nl: 'Nederlands',
}

/** Which way it is written: pages take it into `dir`, and their styles know no left or right. */
export const DIRECTIONS: Readonly<Record<Language, 'ltr' | 'rtl'>> = {
  en: 'ltr',
  de: 'ltr',
  fr: 'ltr',
  it: 'ltr',
  es: 'ltr',
  nl: 'ltr',
}

export interface Labels {
  /** The built-in ones, by key. */
  readonly templates: Readonly<Record<string, { readonly title: string; readonly description: string }>>
  /** By name: of an output, or the last of a path. */
  readonly claims: Readonly<Record<string, string>>
  /** An age: as the holder is asked for it, and as a result shows it. */
  readonly ages: { readonly asked: (age: number) => string; readonly told: (age: number) => string }
  /** By doctype or vct. */
  readonly documents: Readonly<Record<string, string>>
  /** Why a verification failed, by the code of its error. */
  readonly reasons: Readonly<Record<string, string>>
  readonly question: QuestionWords
}

/** The words around the names of claims and documents. */
export interface QuestionWords {
  readonly headings: Readonly<Record<'needed' | 'all' | 'one' | 'optional' | 'optionalOne' | 'optionalAll', string>>
  readonly from: (documents: string) => string
  /** Between what one of several answers consists of. */
  readonly and: string
  /** Options in the order of preference. */
  readonly orElse: (options: readonly string[]) => string
  readonly nothing: string
  readonly ifAvailable: (claims: string) => string
  /** A document is asked for without any claim. */
  readonly possession: string
  readonly oneOrMore: string
  readonly someIssuers: string
  readonly entry: (number: number) => string
  readonly yes: string
  readonly no: string
}

/** As the person is asked for it. A claim that has no word here goes by its own name, made readable. */
export function claimLabel({ claims, ages }: Labels, name: string): string {
  return agedLabel(ages.asked, name) ?? plainLabel(claims, name)
}

/** As a result shows it. */
export function toldLabel({ claims, ages }: Labels, name: string): string {
  return agedLabel(ages.told, name) ?? plainLabel(claims, name)
}

/**
 * By the names of a claim's path, the whole before its part; `age_equal_or_over`, `18` is an age, and an address as one line is
 * called as the whole is.
 */
export function pathLabel(labels: Labels, names: readonly string[], label: typeof toldLabel): string {
  const [whole, age] = names
  if (whole === 'age_equal_or_over' && age !== undefined) return label(labels, `age_over_${age}`)
  return [...new Set(names.map((name) => label(labels, name)))].join(' – ')
}

function agedLabel(label: (age: number) => string, name: string): string | null {
  const [, age] = /^age_over_([1-9]\d?)$/.exec(name) ?? []
  return age === undefined ? null : label(Number(age))
}

/** What other documents call the same. */
const SAME: ReadonlyMap<string, string> = new Map([
  ['resident_address', 'formatted'],
  ['resident_street', 'street_address'],
  ['resident_house_number', 'house_number'],
  ['resident_postal_code', 'postal_code'],
  ['resident_city', 'locality'],
  ['resident_state', 'region'],
  ['resident_country', 'country'],
  ['email_address', 'email'],
  ['mobile_phone_number', 'phone_number'],
  ['administrative_number', 'personal_administrative_number'],
  ['issuance_date', 'issue_date'],
  ['date_of_issuance', 'issue_date'],
  ['date_of_expiry', 'expiry_date'],
])

function plainLabel(claims: Labels['claims'], called: string): string {
  const name = SAME.get(called) ?? called
  const text = name.replaceAll('_', ' ')
  return (Object.hasOwn(claims, name) ? claims[name] : undefined) ?? `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** null for a type that has no word here: its own name says nothing to people. */
export function documentLabel({ documents }: Labels, type: string): string | null {
  return (Object.hasOwn(documents, type) ? documents[type] : undefined) ?? null
}
