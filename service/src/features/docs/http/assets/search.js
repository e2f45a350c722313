// The search dialog. The index is fetched at the first search and searched in the browser.

import { find, termsOf } from './find.js'

const NOTHING = 'Nothing found. Try fewer words, or an error code. These pages answer most questions:'
const MOST_READ = [
  ['/docs/quickstart', 'Quick start', 'The first verification in five minutes'],
  ['/docs/i-want-to', 'I want to …', 'Guides by task'],
  ['/docs/api', 'API basics', 'Keys, errors, retries, and all calls'],
  ['/docs/errors', 'Errors', 'What each code means, and what to do'],
].map(([url, page, text]) => ({ url, page, heading: '', text }))
/** Length of the text around a match. */
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
    load().catch(() => list.replaceChildren(item('The search is not available right now. Try again in a moment.')))
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
    const query = input.value
    const index = await load()
    if (query !== input.value) return
    const found = find(index, query)
    const nothing = query.trim() !== '' && found.length === 0
    const shown = nothing ? MOST_READ : found
    const words = nothing ? [] : termsOf(index, query).flat()
    list.replaceChildren(...(nothing ? [item(NOTHING)] : []), ...shown.map((entry) => result(entry, words)))
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

function result({ url, page, heading, text }, words) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = url
  const [title, where, about] = ['b', 'small', 'span'].map((tag) => document.createElement(tag))
  title.append(...marked(heading === '' ? page : heading, words))
  where.textContent = heading === '' ? '' : page
  about.append(...marked(excerptOf(text, words), words))
  link.append(title, where, about)
  link.addEventListener('click', () => document.querySelector('dialog.search').close())
  item.append(link)
  return item
}

/** Starts shortly before the first match, and starts and ends between words. */
function excerptOf(text, words) {
  const at = Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((one) => one >= 0))
  const near = Number.isFinite(at) && at > EXCERPT.before
  const from = near ? Math.min(text.indexOf(' ', at - EXCERPT.before) + 1, at) : 0
  const end = from + EXCERPT.length
  const whole = end >= text.length ? text.slice(from) : `${text.slice(from, text.lastIndexOf(' ', end))} …`
  return near ? `… ${whole.replace(/^[^\p{L}\p{N}]+/u, '')}` : whole
}

/** Returns nodes, with the matches marked. */
function marked(text, words) {
  if (words.length === 0) return [text]
  const wanted = new RegExp(`(?<![\\p{L}\\p{N}])(${words.join('|')})`, 'giu')
  return text.split(wanted).map((part, at) => {
    if (at % 2 === 0) return part
    const mark = document.createElement('mark')
    mark.textContent = part
    return mark
  })
}

function item(text) {
  const item = document.createElement('li')
  item.textContent = text
  return item
}
