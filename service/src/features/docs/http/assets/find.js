// Finds entries of the search index: by words, their synonyms, their endings, and with typos.

const RESULTS_MAX = 12
/** More sections of one page would hide the other pages. */
const PER_PAGE_MAX = 3
/** The pages of the SDKs have the same sections, so only the best match is listed. */
const LIBRARIES = new Set(['TypeScript', 'Python', 'PHP', 'Go'])
/** Words that say nothing about the subject, and are ignored. */
const STOP_WORDS = new Set('a add an and are be by can change configure do does for from get how i in is it my of on or our the to use using via we what when where which why with your'.split(' '))

/** Words that readers type, and the guides' words for them. */
const SYNONYMS = {
  gdpr: ['erasure', 'retention'],
  dsgvo: ['gdpr', 'erasure', 'retention'],
  localhost: ['listen'],
  privacy: ['gdpr', 'erasure', 'forget'],
  delete: ['erase', 'erasure'],
  remove: ['erase', 'delete'],
  purge: ['erase', 'retention'],
  user: ['holder', 'person'],
  customer: ['holder', 'person'],
  personal: ['person', 'claims'],
  data: ['claims', 'content'],
  ngrok: ['localhost'],
  tunnel: ['localhost'],
  local: ['localhost'],
  hook: ['webhook'],
  callback: ['webhook', 'redirect'],
  notification: ['webhook', 'alert'],
  login: ['sign', 'openid'],
  signin: ['sign', 'openid'],
  sso: ['openid'],
  oauth: ['openid'],
  oidc: ['openid'],
  retry: ['retries', 'attempt'],
  duplicate: ['idempotency'],
  limit: ['quota', 'rate'],
  throttle: ['rate'],
  ratelimit: ['rate'],
  429: ['rate', 'quota'],
  401: ['invalid_api_key', 'key'],
  403: ['scope'],
  apikey: ['key'],
  credential: ['key'],
  brand: ['branding', 'logo'],
  theme: ['branding', 'colour'],
  color: ['colour'],
  css: ['branding', 'colour'],
  email: ['mail'],
  sms: ['text', 'link'],
  plan: ['quota'],
  price: ['quota'],
  pricing: ['quota'],
  hsm: ['pkcs'],
  kms: ['pkcs', 'keys'],
  kubernetes: ['container'],
  k8s: ['kubernetes', 'container'],
  helm: ['kubernetes', 'container'],
  license: ['licence'],
  driving: ['licence', 'mdl'],
  adult: ['age'],
  '18': ['age'],
  '21': ['age'],
  pos: ['till', 'device'],
  terminal: ['till', 'device'],
  kiosk: ['till'],
  payment: ['transaction', 'consent'],
  psd2: ['transaction', 'consent'],
  zkp: ['proof', 'zero'],
  grafana: ['metrics'],
  prometheus: ['metrics'],
  monitoring: ['metrics', 'alert'],
  release: ['changelog'],
  version: ['changelog'],
}
/** Shorter words are not corrected. */
const TYPO_LENGTH_MIN = 4

const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '')

/** For each word of the query: the words that match it. An unknown word counts as a typo. */
export function termsOf(index, query) {
  const typed = [...new Set(wordsOf(query))]
  const telling = typed.filter((word) => !STOP_WORDS.has(word))
  return (telling.length === 0 ? typed : telling).map((word) => {
    const terms = [word, ...(SYNONYMS[word] ?? SYNONYMS[stemOf(word)] ?? [])]
    if (terms.some((term) => partsOf(index).some((parts) => matchOf(parts.all, term) > 0))) return terms
    const meant = nearestOf(word, vocabularyOf(index))
    return meant === null ? terms : [meant, ...(SYNONYMS[meant] ?? [])]
  })
}

/** The best entries first. An entry with half of the words counts a quarter; one with fewer is left out. */
export function find(index, query) {
  const terms = termsOf(index, query)
  if (terms.length === 0) return []
  const parts = partsOf(index)
  const perPage = new Map()
  const headings = new Set()
  return index
    .map((entry, at) => ({ entry, ...scoreOf(parts[at], terms) }))
    .filter(({ matched }) => matched > 0 && matched >= terms.length / 2)
    .sort((one, other) => other.score - one.score)
    .filter(({ entry: { url, page: title, heading } }) => {
      const [page] = url.split('#')
      if (LIBRARIES.has(title) && heading !== '') {
        if (headings.has(heading)) return false
        headings.add(heading)
      }
      perPage.set(page, (perPage.get(page) ?? 0) + 1)
      return perPage.get(page) <= PER_PAGE_MAX
    })
    .slice(0, RESULTS_MAX)
    .map(({ entry }) => entry)
}

function scoreOf(parts, terms) {
  const best = terms.map((group) => Math.max(...group.map((term, at) => (at === 0 ? 1 : 0.5) * scoreOfTerm(parts, term))))
  const sum = best.reduce((total, one) => total + one, 0) + (parts.isTitleOf(terms) ? 12 : 0)
  const matched = best.filter((one) => one > 0).length
  return { matched, score: parts.weight * sum * (matched / terms.length) ** 2 }
}

/** A heading counts most, then the keywords and title of the page, then the text. */
const scoreOfTerm = ({ heading, also, page, text }, term) =>
  8 * matchOf(heading, term) + 8 * matchOf(also, term) + 3 * matchOf(page, term) + matchOf(text, term)

/** 1: the same word, apart from its ending. 0.6: the start of a word, or a part of a code. */
function matchOf(words, term) {
  if (words.size === 0) return 0
  if (words.has(term) || words.has(stemOf(term))) return 1
  if (term.length < 3) return 0
  const stem = stemOf(term)
  for (const word of words) if (word.startsWith(stem)) return 0.6
  return 0
}

/** "retries" and "retry", "polling" and "poll", "deletes" and "delete" have the same stem. */
function stemOf(word) {
  if (word.length < 5 || /\d/.test(word)) return word
  const stem = word.replace(/(?:ings?|ies|ied|ed|es|s|e|y)$/, '')
  return stem.length < 3 ? word : stem
}

const known = new WeakMap()

/** The words of each entry, each with its stem and, for codes, its parts. */
function partsOf(index) {
  if (!known.has(index)) known.set(index, index.map(partsOfEntry))
  return known.get(index)
}

function partsOfEntry({ page, heading, text, also = '', weight = 1 }) {
  // The first section of a page has its title as heading.
  const title = heading === '' ? page : heading
  const [inHeading, inAlso, inPage, inText] = [title, also, page, text].map(
    (part) => new Set(wordsOf(part).flatMap((word) => [word, ...(word.includes('_') ? word.split('_') : []), stemOf(word)])),
  )
  const titleWords = wordsOf(title).map(stemOf).join(' ')
  return {
    heading: inHeading,
    also: inAlso,
    page: inPage,
    text: inText,
    all: new Set([...inHeading, ...inAlso, ...inPage, ...inText]),
    weight,
    isTitleOf: (terms) => titleWords === terms.map(([first]) => stemOf(first)).join(' '),
  }
}

const vocabularies = new WeakMap()

function vocabularyOf(index) {
  const kept = vocabularies.get(index)
  if (kept !== undefined) return kept
  const words = new Set(Object.keys(SYNONYMS))
  for (const { page, heading, text, also = '' } of index)
    for (const word of wordsOf(`${heading} ${page} ${also} ${text}`)) if (word.length >= TYPO_LENGTH_MIN) words.add(word)
  vocabularies.set(index, words)
  return words
}

/** The word with the fewest changed letters: at most one in short words, two in long ones. null: none is near. */
function nearestOf(word, words) {
  if (word.length < TYPO_LENGTH_MIN || word.length > 32) return null
  let best = { word: null, distance: word.length < 7 ? 2 : 3 }
  for (const one of words) {
    if (Math.abs(one.length - word.length) >= best.distance) continue
    const distance = distanceOf(word, one)
    if (distance < best.distance) best = { word: one, distance }
  }
  return best.word
}

/** Letters to add, leave out or replace, and neighbours to swap. */
function distanceOf(from, to) {
  let [before, row] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)]
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j += 1) {
      const swapped = from[i] === to[j - 1] && from[i - 1] === to[j] ? before[j - 1] + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(row[j] + (from[i] === to[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1, swapped))
    }
    ;[before, row] = [row, next]
  }
  return row[to.length]
}
