// The search: fetches its index at the first search, and searches it here.

const RESULTS_MAX = 12
const NOTHING = 'Nothing found. Try fewer words, or the code of an error.'
/** Of the text around what was found. */
const EXCERPT = { before: 40, length: 120 }

export function openSearch() {
  const dialog = document.querySelector('dialog.search')
  const button = document.querySelector('[data-find]')
  const input = dialog.querySelector('input')
  const list = dialog.querySelector('ol')
  let loading

  const load = () => {
    loading ??= fetch('/docs/search.json')
      .then((response) => (response.ok ? response.json() : Promise.reject(new Error(String(response.status)))))
      .catch((error) => {
        loading = undefined
        throw error
      })
    return loading
  }
  const open = () => {
    if (dialog.open) return
    dialog.showModal()
    input.select()
    load().catch(() => list.replaceChildren(item('The search cannot be reached. Try again in a moment.')))
  }
  button.hidden = false
  button.addEventListener('click', open)
  addEventListener('keydown', (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '')
    if ((event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !typing)) {
      event.preventDefault()
      open()
    }
  })
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
  input.addEventListener('input', async () => {
    const asked = input.value
    const index = await load()
    if (asked !== input.value) return
    const found = find(index, asked)
    const nothing = asked.trim() !== '' && found.length === 0
    list.replaceChildren(...(nothing ? [item(NOTHING)] : found.map((entry) => result(entry, termsOf(index, asked).flat()))))
  })
  dialog.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')]
    const at = links.indexOf(document.activeElement)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && links.length > 0) {
      event.preventDefault()
      const next = at + step
      if (next < 0) input.focus()
      else links[Math.min(next, links.length - 1)].focus()
    } else if (event.key === 'Enter' && document.activeElement === input) {
      event.preventDefault()
      links[0]?.click()
    }
  })
}

const wordsOf = (asked) => asked.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '')

/** What people type, and what the guides call it. A word is looked for by itself, too. */
const SYNONYMS = {
  gdpr: ['erasure', 'erase', 'retention'],
  dsgvo: ['erasure', 'erase', 'retention'],
  privacy: ['erasure', 'retention', 'forget'],
  delete: ['erase', 'erasure'],
  remove: ['erase', 'erasure'],
  purge: ['erase', 'retention'],
  user: ['holder', 'person', 'verification'],
  customer: ['holder', 'person'],
  data: ['claims', 'content', 'erasure'],
  localhost: ['listen', 'forward', 'machine'],
  ngrok: ['listen', 'forward'],
  tunnel: ['listen', 'forward'],
  callback: ['webhook', 'redirect'],
  token: ['key', 'secret'],
  login: ['sign'],
  signin: ['sign'],
  sso: ['openid', 'sign'],
  oauth: ['openid'],
  retry: ['again', 'attempt', 'idempotency'],
  duplicate: ['idempotency'],
  limit: ['quota', 'rate'],
  throttle: ['rate'],
  qr: ['code', 'hosted'],
  price: ['quota', 'plan'],
  backup: ['restore'],
  docker: ['container', 'compose'],
  k8s: ['kubernetes'],
  license: ['licence'],
}
/** Shorter words are not taken for typos. */
const TYPO_LENGTH_MIN = 4

/** For each word that was typed: the words that count as it. One that is nowhere is taken for a typo. */
export function termsOf(index, asked) {
  return wordsOf(asked).map((word) => {
    const terms = [word, ...(SYNONYMS[word] ?? [])]
    if (terms.some((term) => index.some((entry) => has(entry, term)))) return terms
    const meant = nearestOf(word, vocabularyOf(index))
    return meant === null ? terms : [meant, ...(SYNONYMS[meant] ?? [])]
  })
}

/**
 * Those that have the most of the words: all of them, where there are such. In a heading a word counts more than in the text, a
 * part of an error's code less than a word of a guide, and a synonym half.
 */
export function find(index, asked) {
  const terms = termsOf(index, asked)
  if (terms.length === 0) return []
  const scored = index.map((entry) => ({ entry, ...scoreOf(entry, terms) })).filter(({ matched }) => matched > 0)
  const most = Math.max(0, ...scored.map(({ matched }) => matched))
  return scored
    .filter(({ matched }) => matched === most)
    .sort((one, other) => other.score - one.score)
    .slice(0, RESULTS_MAX)
    .map(({ entry }) => entry)
}

function scoreOf(entry, terms) {
  const best = terms.map((group) =>
    Math.max(...group.map((term, at) => (at === 0 ? 1 : 0.5) * scoreOfWord(entry, term))),
  )
  return { matched: best.filter((one) => one > 0).length, score: best.reduce((sum, one) => sum + one, 0) }
}

function scoreOfWord({ page, heading, text }, word) {
  const [inHeading, inPage, inText] = [heading, page, text].map((part) => part.toLowerCase().includes(word))
  if (!inHeading && !inPage && !inText) return 0
  const whole = heading.toLowerCase() === word || (heading === '' && page.toLowerCase().includes(word))
  const isPartOfCode = heading.includes('_') && !whole
  return (whole ? 20 : 0) + (inHeading ? (isPartOfCode ? 2 : 8) : 0) + (inPage ? 4 : 0) + (inText ? 1 : 0)
}

const has = ({ page, heading, text }, word) => [heading, page, text].some((part) => part.toLowerCase().includes(word))

const vocabularies = new WeakMap()

function vocabularyOf(index) {
  const known = vocabularies.get(index)
  if (known !== undefined) return known
  const words = new Set(Object.keys(SYNONYMS))
  for (const { page, heading, text } of index)
    for (const word of wordsOf(`${heading} ${page} ${text}`)) if (word.length >= TYPO_LENGTH_MIN) words.add(word)
  vocabularies.set(index, words)
  return words
}

/** The word with the fewest changed letters: one in short words, two in long ones. null: none is near. */
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

function result({ url, page, heading, text }, words) {
  const made = document.createElement('li')
  const link = document.createElement('a')
  link.href = url
  const [title, where, about] = ['b', 'small', 'span'].map((tag) => document.createElement(tag))
  title.append(...marked(heading === '' ? page : heading, words))
  where.textContent = heading === '' ? '' : page
  about.append(...marked(excerptOf(text, words), words))
  link.append(title, where, about)
  link.addEventListener('click', () => document.querySelector('dialog.search').close())
  made.append(link)
  return made
}

/** Begins shortly before the first word that was found, at the beginning of a word. */
function excerptOf(text, words) {
  const at = Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((one) => one >= 0))
  if (!Number.isFinite(at) || at <= EXCERPT.before) return text.slice(0, EXCERPT.length)
  const from = text.indexOf(' ', at - EXCERPT.before) + 1
  return `… ${text.slice(Math.min(from, at), from + EXCERPT.length)}`
}

/** As nodes, of which those that were looked for are marked. */
function marked(text, words) {
  const wanted = new RegExp(`(${words.join('|')})`, 'giu')
  return text.split(wanted).map((part, at) => {
    if (at % 2 === 0) return part
    const mark = document.createElement('mark')
    mark.textContent = part
    return mark
  })
}

function item(text) {
  const made = document.createElement('li')
  made.textContent = text
  return made
}
