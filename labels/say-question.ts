// Describes in words what a query asks for, in every language. The input is the structure of `describeQuery`.

import type { Question } from '../wire/templates.ts'
import { answerLabel, documentLabel, type Labels, type Language, pathLabel } from './catalogue.ts'

export interface QuestionPart {
  /** The heading above the lines; null if there is only one line, which is required. */
  readonly heading: string | null
  readonly lines: readonly QuestionLine[]
}

export interface QuestionLine {
  /** All items are shown. */
  readonly items: readonly string[]
  /** For example "from Personal ID or mobile driving licence"; null if the items name their document. */
  readonly from: string | null
}

interface Speaker {
  readonly labels: Labels
  readonly language: Language
}

/** Remembers descriptions, so that a claim or credential in many options is described once. */
interface Memory {
  readonly claims: Map<Claim, string>
  readonly credentials: Map<Credential, readonly string[]>
  readonly lines: Map<Credential, string>
}

type Speaking = Speaker & Memory

type Asked = Pick<Question, 'credentials' | 'sets'>
type Credential = Question['credentials'][number]
type Claim = Credential['claims'][number]

export function sayQuestion(question: Asked, speaker: Speaker): readonly QuestionPart[] {
  const speaking = { ...speaker, claims: new Map(), credentials: new Map(), lines: new Map() }
  return question.sets.map((set) => saySet(question, set, speaking))
}

/** Writes one line as a text. If an item is a choice, semicolons separate the items. */
export const lineText = ({ items, from }: QuestionLine): string =>
  [items.join(items.some((item) => item.includes(',')) ? '; ' : ', '), ...(from === null ? [] : [from])].join(' ')

function saySet(
  { credentials, sets }: Asked,
  { required, options }: Question['sets'][number],
  speaker: Speaking,
): QuestionPart {
  const { headings } = speaker.labels.question
  const found = options.map((option) => option.flatMap((id) => credentials.filter((one) => one.id === id)))
  const [only = [], ...others] = found
  const isChoice = others.length > 0
  const lines = isChoice ? sayOptions(found, speaker) : only.map((credential) => sayCredential([credential], speaker))
  if (lines.length > 1) {
    const [one, all] = required ? [headings.one, headings.all] : [headings.optionalOne, headings.optionalAll]
    return { heading: isChoice ? one : all, lines }
  }
  if (!required) return { heading: headings.optional, lines }
  return { heading: sets.length === 1 ? null : headings.needed, lines }
}

/** Documents with the same claims share a line: "from this or that". */
function sayOptions(options: readonly (readonly Credential[])[], speaker: Speaking): readonly QuestionLine[] {
  const alike = new Map<string, Credential[]>()
  const lines: (() => QuestionLine)[] = []
  for (const option of options) {
    const [credential, ...more] = option
    if (credential === undefined || more.length > 0) {
      lines.push(() => sayTogether(option, speaker))
      continue
    }
    const what = [...sayClaims(credential, speaker), credential.multiple, credential.some_issuers].join('\n')
    const same = alike.get(what) ?? []
    if (same.length === 0) lines.push(() => sayCredential(same, speaker))
    same.push(credential)
    alike.set(what, same)
  }
  return lines.map((line) => line())
}

function sayTogether(option: readonly Credential[], speaker: Speaking): QuestionLine {
  const texts = option.map((credential) =>
    remembered(speaker.lines, credential, () => lineText(sayCredential([credential], speaker))),
  )
  return { items: [texts.join(`; ${speaker.labels.question.and} `)], from: null }
}

/** Groups credentials of which the same claims are requested. */
function sayCredential(same: readonly Credential[], speaker: Speaking): QuestionLine {
  const { labels, language } = speaker
  const [first] = same
  if (first === undefined) return { items: [], from: null }
  const names = new Set(same.flatMap(({ types }) => types.map((type) => documentLabel(labels, type) ?? type)))
  const { oneOrMore, someIssuers, from } = labels.question
  const terms = [...(first.multiple ? [oneOrMore] : []), ...(first.some_issuers ? [someIssuers] : [])]
  const documents = listOf(withinSentence([...names], language), 'disjunction', language)
  return {
    items: sayClaims(first, speaker),
    from: from(terms.length === 0 ? documents : `${documents} (${terms.join(', ')})`),
  }
}

const sayClaims = (credential: Credential, speaker: Speaking): readonly string[] =>
  remembered(speaker.credentials, credential, () => {
    const { claims, always, choices } = credential
    const pick = (set: readonly number[]) => set.flatMap((at) => claims[at] ?? [])
    const needed = pick(always).map((claim) => sayClaim(claim, speaker))
    const phrases = [...needed, ...choices.map((options) => sayChoice(options.map(pick), speaker))]
    return phrases.length === 0 ? [speaker.labels.question.possession] : [...new Set(phrases)]
  })

function sayChoice(options: readonly (readonly Claim[])[], speaker: Speaking): string {
  const { orElse, ifAvailable, nothing } = speaker.labels.question
  const phrases = options.map((option) =>
    option.length === 0
      ? null
      : listOf(new Set(option.map((claim) => sayClaim(claim, speaker))), 'conjunction', speaker.language),
  )
  const named = withinSentence([...new Set(phrases.filter((text) => text !== null))], speaker.language)
  const [only = '', ...others] = named
  if (phrases.includes(null)) return others.length === 0 ? ifAvailable(only) : orElse([...named, nothing])
  return others.length === 0 ? only : orElse(named)
}

const sayClaim = (claim: Claim, speaker: Speaking): string =>
  remembered(speaker.claims, claim, () => sayNewClaim(claim, speaker))

function remembered<Key, Value>(known: Map<Key, Value>, key: Key, say: () => Value): Value {
  const value = known.get(key) ?? say()
  known.set(key, value)
  return value
}

function sayNewClaim({ names, entry, values }: Claim, { labels, language }: Speaker): string {
  const { yes, no, entry: entryText } = labels.question
  const name = pathLabel(labels, names, answerLabel)
  const isAge = /^(age_over_\d+$|age_equal_or_over \d)/.test(names.join(' '))
  const allowed = values ?? (isAge ? [true, false] : null)
  const texts = allowed?.map((value) => (typeof value === 'boolean' ? (value ? yes : no) : String(value)))
  const details = [
    ...(entry === null ? [] : [entryText(entry)]),
    ...(texts === undefined ? [] : [listOf(new Set(texts), 'disjunction', language)]),
  ]
  return details.length === 0 ? name : `${name} (${details.join(', ')})`
}

/** Labels after the first lose the capital letter of a heading. German nouns and abbreviations keep theirs. */
const withinSentence = ([first, ...others]: readonly string[], language: Language): readonly string[] =>
  first === undefined
    ? []
    : [first, ...others.map((text) => text.replace(CAPITALS[language], (letter) => letter.toLowerCase()))]

const CAPITAL = /^\p{Lu}(?=\p{Ll})/u
const CAPITALS: Readonly<Record<Language, RegExp>> = {
  en: CAPITAL,
  de: /^(?:D(?=igitaler )|M(?=indestens ))/,
  fr: CAPITAL,
  it: CAPITAL,
  es: CAPITAL,
  nl: CAPITAL,
}

type ListType = 'conjunction' | 'disjunction'

/** Cached, because creating one takes as long as formatting fifty lists. */
const formats = new Map<string, Intl.ListFormat>()

/** British English: no comma before "and". */
function listOf(texts: Iterable<string>, type: ListType, language: Language): string {
  const locale = language === 'en' ? 'en-GB' : language
  const name = `${locale} ${type}`
  const format = formats.get(name) ?? new Intl.ListFormat(locale, { type })
  formats.set(name, format)
  return format.format(texts)
}
