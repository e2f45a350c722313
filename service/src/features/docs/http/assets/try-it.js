// Calls sent from the page, with the reader's test key, to the test environment of this very service.

import { testKey } from './key.js'

export function openTryIt() {
  for (const details of document.querySelectorAll('details.try')) {
    details.hidden = false
    const form = details.querySelector('form')
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void send(form)
    })
  }
}

async function send(form) {
  const output = form.querySelector('output')
  const key = testKey()
  if (form.dataset.keyed !== undefined && key === null) {
    output.textContent = 'Give a test key first, at the top of the page.'
    return
  }
  const query = new URLSearchParams()
  let path = form.dataset.path
  for (const input of form.querySelectorAll('input')) {
    const value = input.value.trim()
    if (input.dataset.in === 'path') path = path.replace(`{${input.name}}`, encodeURIComponent(value))
    else if (value !== '') query.set(input.name, value)
  }
  const { body } = form.elements
  const headers = {
    ...(form.dataset.keyed === undefined ? {} : { Authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  }
  const button = form.querySelector('button')
  button.disabled = true
  try {
    const response = await fetch(query.size === 0 ? path : `${path}?${query}`, {
      method: form.dataset.method,
      headers,
      body: body?.value,
      credentials: 'omit',
      cache: 'no-store',
    })
    await show(output, response)
  } catch {
    output.textContent = 'No answer. Check the connection.'
  } finally {
    button.disabled = false
  }
}

async function show(output, response) {
  const text = await response.text()
  const status = document.createElement('p')
  status.className = response.ok ? 'good' : 'bad'
  status.textContent = `${response.status} · ${response.headers.get('Request-Id') ?? ''}`
  const shown = document.createElement('pre')
  shown.className = 'code'
  shown.tabIndex = 0
  const answer = parse(text)
  shown.textContent = answer === null ? text : JSON.stringify(answer, null, 2)
  const parts = [status, shown]
  const code = answer?.error?.code
  if (!response.ok && typeof code === 'string' && /^[a-z_]+$/.test(code)) parts.push(linkTo(`/docs/errors/${code}`, `What ${code} means`))
  // What was asked for can be answered at once, with the test wallet on the page that asks.
  if (response.status === 201 && typeof answer?.wallet_uri === 'string' && /^ver_\w+$/.test(answer.id)) parts.push(linkTo(`/verify/${answer.id}`, 'Open the page that asks for it'))
  output.replaceChildren(...parts)
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function linkTo(href, text) {
  const link = document.createElement('a')
  link.href = href
  link.textContent = text
  return link
}
