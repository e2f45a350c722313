// The script of /verify-receipt: checks a receipt in the browser. Only public keys and log files are fetched.

import type { ReceiptProblem } from '../../../wire/values/log.ts'
import { type Checked, checkReceipt, type Keys, type ReceiptInput, readFiles, readFragment } from './check.ts'

const element = (id: string): HTMLElement => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`bug: the page has no ${id}`)
  return found
}

async function load(path: string): Promise<Response> {
  const answer = await fetch(`/log/${path}`, { credentials: 'omit' })
  if (!answer.ok) throw new Error('the log did not answer')
  return answer
}

const LOG = {
  checkpoint: async () => (await load('checkpoint')).text(),
  tile: async (path: string) => new Uint8Array(await (await load(path)).arrayBuffer()),
}

/** null: loading failed. */
const loading: Promise<Keys | null> = Promise.all([load('receipt-keys'), load('key')])
  .then(async ([receipts, log]) => ({ receipts: await receipts.json(), log: await log.text() }))
  .catch(() => null)

let latest = 0

async function check(reading: Promise<ReceiptInput | { readonly code: ReceiptProblem }>): Promise<void> {
  const turn = ++latest
  show('checking')
  const input = await reading
  const checked: Checked =
    'code' in input ? { outcome: 'not_verified', code: input.code } : await checkReceipt(input, await loading, LOG)
  // Another file was chosen in the meantime.
  if (turn !== latest) return
  if (checked.outcome === 'not_verified') return show(checked.code)
  fill(checked)
  // Not green, because the answer was rejected.
  const part = checked.receipt.verdict === 'accepted' ? 'verified' : 'verified_rejected'
  show(part, checked.receipt.env === 'test')
}

/** Shows one part and hides the others. */
function show(part: string, isTest = false): void {
  for (const one of document.querySelectorAll<HTMLElement>('[data-part]')) one.hidden = one.dataset.part !== part
  element('facts').hidden = part !== 'verified' && part !== 'verified_rejected'
  element('test').hidden = !isTest
  document.body.dataset.shown = part
}

function fill({ receipt, leaf }: Extract<Checked, { outcome: 'verified' }>): void {
  const { lang } = document.documentElement
  const { verdict, code, iat, jti, aud, iss, asked } = receipt
  const wordFor = (group: string, key: string): string | null =>
    [...document.querySelectorAll<HTMLElement>(`[data-${group}]`)].find(
      (one) => one.getAttribute(`data-${group}`) === key,
    )?.textContent ?? null
  const time = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, {
    dateStyle: 'long',
    timeStyle: 'medium',
    timeZone: 'UTC',
  })
  const reason = code === undefined ? null : (wordFor('reason', code) ?? code)
  const facts: Readonly<Record<string, string>> = {
    outcome: [wordFor('verdict', verdict), reason].filter((one) => one !== null).join(': '),
    asked: asked?.template === undefined ? '–' : (wordFor('template', asked.template) ?? asked.template),
    time: `${time.format(new Date(iat * 1000))} UTC`,
    verification: jti,
    company: String(aud),
    issuer: iss,
    log: `${leaf.index} (${leaf.origin})`,
  }
  for (const [name, text] of Object.entries(facts)) element(`fact-${name}`).textContent = text
}

async function fromAddress(): Promise<void> {
  if (location.hash === '' || location.hash === '#') return
  const input = readFragment(location.hash).then((found) => found ?? { code: 'malformed' as const })
  await check(input)
}

function checkFiles(list: FileList | null): void {
  const files = [...(list ?? [])]
  if (files.length === 0) return
  element('chosen').textContent = files.map(({ name }) => name).join(', ')
  element('chosen').hidden = false
  void check(readFiles(files))
}

const input = element('file') as HTMLInputElement
input.addEventListener('change', () => {
  checkFiles(input.files)
})
document.addEventListener('dragover', (event) => event.preventDefault())
document.addEventListener('drop', (event) => {
  event.preventDefault()
  checkFiles(event.dataTransfer?.files ?? null)
})
addEventListener('hashchange', () => void fromAddress())
// The other languages show the same receipt. Browsers do not send the fragment to a server.
for (const link of document.querySelectorAll<HTMLAnchorElement>('footer nav a'))
  link.addEventListener('click', () => {
    link.hash = location.hash
  })
void fromAddress()
