// Types of the names of templates, claims, documents and reasons. Each page imports the languages that it needs.

export const LANGUAGES = ['en', 'de', 'fr', 'it', 'es', 'nl'] as const
export type Language = (typeof LANGUAGES)[number]

/** The name of each language in that language itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  it: 'Italiano',
  es: 'Español',
  nl: 'Nederlands',
}

/** The direction of the script, for `dir`. Styles must not use left or right. */
export const DIRECTIONS: Readonly<Record<Language, 'ltr' | 'rtl'>> = {
  en: 'ltr',
  de: 'ltr',
  fr: 'ltr',
  it: 'ltr',
  es: 'ltr',
  nl: 'ltr',
}

export interface Labels {
  /** Built-in templates, by key. */
  readonly templates: Readonly<Record<string, { readonly title: string; readonly description: string }>>
  /** By the name of an output, or by the last name in a path. */
  readonly claims: Readonly<Record<string, string>>
  /** An age in a request, and in a result. */
  readonly ages: { readonly requested: (age: number) => string; readonly received: (age: number) => string }
  /** By doctype or vct. */
  readonly documents: Readonly<Record<string, string>>
  /** Why a verification failed, by the code of its error. */
  readonly reasons: Readonly<Record<string, string>>
  readonly question: QuestionWords
  readonly agreement: AgreementWords
}

/** What a holder agrees to besides payments. */
export interface AgreementWords {
  readonly mandate: string
  readonly creditor: string
  /** The creditor's number for the mandate. */
  readonly reference: string
  readonly start: string
  readonly end: string
  /** Documents to sign that have no name, or for which there is no space. */
  readonly unnamed: (count: number) => string
}

/** Phrases around the names of claims and documents. */
export interface QuestionWords {
  readonly headings: Readonly<Record<'needed' | 'all' | 'one' | 'optional' | 'optionalOne' | 'optionalAll', string>>
  readonly from: (documents: string) => string
  /** Separates the parts of one answer. */
  readonly and: string
  /** Options, in the order of preference. */
  readonly orElse: (options: readonly string[]) => string
  readonly nothing: string
  readonly ifAvailable: (claims: string) => string
  /** For a document of which no claim is requested. */
  readonly possession: string
  readonly oneOrMore: string
  readonly someIssuers: string
  readonly entry: (number: number) => string
  readonly yes: string
  readonly no: string
}

/** The name of a claim in a request. Without a label, the claim's own name is made readable. */
export function claimLabel({ claims, ages }: Labels, name: string): string {
  return agedLabel(ages.requested, name) ?? plainLabel(claims, name)
}

/** The name of a claim in a result. */
export function answerLabel({ claims, ages }: Labels, name: string): string {
  return agedLabel(ages.received, name) ?? plainLabel(claims, name)
}

/**
 * Finds a label by the names in a claim's path, longest first. `age_equal_or_over`, `18` is an age; a one-line address
 * is an address.
 */
export function pathLabel(labels: Labels, names: readonly string[], label: typeof answerLabel): string {
  const [whole, age] = names
  if (whole === 'age_equal_or_over' && age !== undefined) return label(labels, `age_over_${age}`)
  return [...new Set(names.map((name) => label(labels, name)))].join(' – ')
}

function agedLabel(label: (age: number) => string, name: string): string | null {
  const [, age] = /^age_over_([1-9]\d?)$/.exec(name) ?? []
  return age === undefined ? null : label(Number(age))
}

/** Names that other documents use for claims of this list. */
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

/** Returns null for a type without a label, because people do not understand the type's own name. */
export function documentLabel({ documents }: Labels, type: string): string | null {
  return (Object.hasOwn(documents, type) ? documents[type] : undefined) ?? null
}
