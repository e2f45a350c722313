// Sends calls from the page to the test environment of this service, with the reader's test key.

import { copyButton } from './copy.js'
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
    output.textContent = 'Enter a test key first, at the top of the page.'
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
    output.textContent = 'No response. Check your connection.'
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
  const block = document.createElement('div')
  block.className = 'block'
  block.append(shown, copyButton(() => shown))
  const parts = [status, block]
  const code = answer?.error?.code
  if (!response.ok && typeof code === 'string' && /^[a-z_]+$/.test(code)) parts.push(linkTo(`/docs/errors/${code}`, `What ${code} means`))
  // The hosted page offers the test wallet, so the reader can finish the verification at once.
  if (response.status === 201 && typeof answer?.wallet_uri === 'string' && /^ver_\w+$/.test(answer.id)) parts.push(linkTo(`/verify/${answer.id}`, 'Open the hosted page'))
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
