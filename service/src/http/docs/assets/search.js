// The search: an index that is fetched when somebody first looks for something, and looked through here.

const RESULTS_MAX = 12

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
    const found = find(await load(), asked)
    if (asked !== input.value) return
    list.replaceChildren(...(asked.trim() !== '' && found.length === 0 ? [item('Nothing found.')] : found.map(result)))
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

/** Every word must be there; in a heading it counts more than in the text. */
export function find(index, asked) {
  const words = asked.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '')
  if (words.length === 0) return []
  return index
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, RESULTS_MAX)
    .map(({ entry }) => entry)
}

function scoreOf({ page, heading, text }, words) {
  let score = 0
  for (const word of words) {
    const [inHeading, inPage, inText] = [heading, page, text].map((part) => part.toLowerCase().includes(word))
    if (!inHeading && !inPage && !inText) return 0
    const whole = heading.toLowerCase() === word || (heading === '' && page.toLowerCase().includes(word))
    score += (whole ? 20 : 0) + (inHeading ? 8 : 0) + (inPage ? 4 : 0) + (inText ? 1 : 0)
  }
  return score
}

function result({ url, page, heading, text }) {
  const made = document.createElement('li')
  const link = document.createElement('a')
  link.href = url
  const [title, where, about] = ['b', 'small', 'span'].map((tag) => document.createElement(tag))
  title.textContent = heading === '' ? page : heading
  where.textContent = heading === '' ? '' : page
  about.textContent = text.slice(0, 120)
  link.append(title, where, about)
  link.addEventListener('click', () => document.querySelector('dialog.search').close())
  made.append(link)
  return made
}

function item(text) {
  const made = document.createElement('li')
  made.textContent = text
  return made
}
