// Puts the reader's test key into every sample. It stays in this tab; live keys are refused.

const KEPT = 'vidimus.docs.key'
const TEST_KEY = /^vk_test_[0-9A-Za-z]{38}$/
const PLACEHOLDER = 'vk_test_YOUR_KEY'

export const testKey = () => {
  const kept = sessionStorage.getItem(KEPT)
  return kept !== null && TEST_KEY.test(kept) ? kept : null
}

export function openKeyPanel() {
  for (const panel of document.querySelectorAll('[data-key-panel]')) {
    panel.hidden = false
    draw(panel)
  }
  show()
}

function show() {
  for (const shown of document.querySelectorAll('[data-key]')) shown.textContent = testKey() ?? PLACEHOLDER
}

function use(panel, key) {
  if (key === null) sessionStorage.removeItem(KEPT)
  else sessionStorage.setItem(KEPT, key)
  draw(panel)
  show()
}

function draw(panel, notice = '') {
  const key = testKey()
  if (key !== null) {
    const forget = button('Remove it', () => use(panel, null))
    panel.replaceChildren(line('The samples use your test key, in this tab only.'), forget)
    return
  }
  const form = document.createElement('form')
  const input = document.createElement('input')
  Object.assign(input, { type: 'password', autocomplete: 'off', placeholder: 'vk_test_…', required: true })
  input.setAttribute('aria-label', 'Your test key')
  const submit = document.createElement('button')
  submit.textContent = 'Use it'
  form.append(input, submit)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (TEST_KEY.test(input.value.trim())) use(panel, input.value.trim())
    else draw(panel, 'This is not a complete test key. Live keys are not accepted here.')
  })
  const make = button('Create a test key', () => void offer(panel))
  panel.replaceChildren(line(notice === '' ? 'Use your own test key in the samples.' : notice, notice !== ''), make, form)
}

/** Shows the merchant's name if the reader works for several. */
async function offer(panel) {
  const me = await ask('GET', '/dashboard/api/me')
  if (me === null) {
    const link = document.createElement('a')
    link.href = '/dashboard'
    link.textContent = 'Sign in to the dashboard'
    draw(panel, 'You are not signed in here.')
    panel.append(link)
    return
  }
  const { tenants } = me
  if (tenants.length === 1) return make(panel, tenants[0])
  const choices = tenants.map((tenant) => button(tenant.name, () => void make(panel, tenant)))
  panel.replaceChildren(line(tenants.length === 0 ? 'You are not a member of a merchant yet.' : 'For which merchant?'), ...choices)
}

async function make(panel, tenant) {
  const body = { name: 'Samples of the docs', scopes: ['verifications:create', 'verifications:read', 'verifications:delete', 'devices:manage'], expires_in_days: 30 }
  const answer = await ask('POST', `/dashboard/api/tenants/${tenant.id}/test/keys`, body)
  if (answer === null) draw(panel, 'Your role cannot create keys. Ask an admin for a key and paste it here.')
  else use(panel, answer.key)
}

async function ask(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: { 'vidimus-dashboard': '1', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  return response.ok ? response.json() : null
}

function line(text, loud = false) {
  const paragraph = document.createElement('p')
  paragraph.textContent = text
  if (loud) paragraph.setAttribute('role', 'alert')
  return paragraph
}

function button(text, onClick) {
  const element = document.createElement('button')
  element.type = 'button'
  element.textContent = text
  element.addEventListener('click', onClick)
  return element
}
