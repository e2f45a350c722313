// What the holder is to agree to, in words on the hosted page: before the wallet shows it, from the same text, in every language, and
// never as anything but text.

import assert from 'node:assert/strict'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { saveType } from '../../src/core/transactions/usecases/manage-types.ts'
import { agreementLines, amountText } from '../../src/features/pages/http/agreement-lines.ts'
import { openHostedPage } from '../harness/dc-api.ts'
import { OPERATOR } from '../harness/service.ts'
import { APPROVAL, CARD, openShop, PAYLOAD, PAYMENT } from './asking.ts'

const shop = await openShop()
const { service, realm } = shop
const pageOf = async (id: string, language: string) =>
  (await service.call('GET', `/verify/${id}?lang=${language}`)).text

const PAYS = {
  en: /<h1>Pay €42\.50 to Corner Shop<\/h1>/,
  de: /<h1>42,50\s€ an Corner Shop zahlen<\/h1>/,
  fr: /<h1>Payer 42,50\s€ à Corner Shop<\/h1>/,
  it: /<h1>Pagare 42,50\s€ a Corner Shop<\/h1>/,
  es: /<h1>Pagar 42,50\s€ a Corner Shop<\/h1>/,
  nl: /<h1>€\s42,50 betalen aan Corner Shop<\/h1>/,
}

test('a payment is the heading, then payee, amount and reference as a list, before what is shared, in six languages', async () => {
  const made = await shop.asking([PAYMENT])
  for (const [language, words] of Object.entries(PAYS)) {
    const text = await pageOf(made.id, language)
    assert.match(text, words)
    assert.ok(gzipSync(text).length < 5 * 1024, 'the page itself stays light')
  }
  const text = await pageOf(made.id, 'en')
  const rows = [...text.matchAll(/<dt>([^<]+)<\/dt><dd>([^<]+)<\/dd>/g)].map(([, name, value]) => `${name}: ${value}`)
  assert.deepEqual(rows, ['Payee: Corner Shop', 'Amount: €42.50', 'Reference: order-4711'])
  assert.ok(text.indexOf('</dl>') < text.indexOf('class="received"'), 'the payment comes first')
  const both = await shop.asking([PAYMENT, APPROVAL])
  assert.match(
    await pageOf(both.id, 'en'),
    /<h1>[^<]+ asks you to confirm<\/h1>[\s\S]*<li>Pay €42\.50 to Corner Shop<\/li>/,
  )
  const plain = (await shop.create({ query: { credentials: [CARD] } })).json
  assert.doesNotMatch(await pageOf(plain.id, 'en'), /agreed|<dl|asks you/)
  await shop.answer(made)
  assert.doesNotMatch(await pageOf(made.id, 'en'), /Corner Shop|42\.50/)
})

test('once it has expired, nobody reads of it, neither on the page nor on the card', async () => {
  const said = /Corner Shop|42\.50|order-4711/
  const made = await shop.asking([PAYMENT])
  const cardOf = () => service.call('GET', `/verify/${made.id}/card?lang=en`)
  assert.match((await cardOf()).text, said)
  await openHostedPage(service, made.id)
  assert.equal((await cardOf()).json.error.code, 'session_mismatch', 'a browser holds it')
  service.clock.advance(3_600_000)
  const { status, json, text } = await cardOf()
  assert.deepEqual([status, json.step, json.facts], [200, 'expired', []])
  assert.doesNotMatch(text, said)
  assert.doesNotMatch(await pageOf(made.id, 'en'), said)
})

test('what a merchant wrote is text, whatever it is made of', async () => {
  const type = 'https://shop.example/terms'
  await saveType(service.deps, { realm, type, title: 'Terms <i>', schema: { type: 'object' }, actor: OPERATOR })
  const hostile = '<img src=x onerror=alert(1)>"&\''
  const made = await shop.asking([
    { ...PAYMENT, payload: { ...PAYLOAD, payee: { name: hostile, id: 'a' }, recurrence: { frequency: 'MNTH' } } },
    { ...APPROVAL, documentDigests: [{ ...APPROVAL.documentDigests[0], label: '<script>' }] },
    { type, first: hostile, second: 7, third: { hidden: 'in an object' } },
    {
      type: 'urn:eudi:sca:login_risk_transaction:1',
      payload: { transaction_id: 'a', action: 'Raise the limit', service: 'Bank' },
    },
    { type: 'urn:eudi:sca:emandate:1', payload: { transaction_id: 'a', purpose: 'The monthly bill' } },
    { type: 'urn:eudi:sca:account_access:1', payload: { transaction_id: 'a', description: 'See the balance' } },
  ])
  const text = await pageOf(made.id, 'en')
  assert.doesNotMatch(text, /<img src=x|<script>|<i>/)
  assert.match(text, /to &#60;img src=x onerror=alert\(1\)&#62;/)
  assert.match(text, /This payment repeats\./)
  assert.match(text, /Sign: &#60;script&#62;/)
  assert.match(text, /Terms &#60;i&#62;: .* · 7</)
  assert.match(text, /Raise the limit · Bank/)
  assert.match(text, /The monthly bill/)
  assert.match(text, /See the balance/)
  assert.doesNotMatch(text, /in an object|order-4711/)
})

test('what is shown is exactly what is signed: nothing is rounded away', () => {
  assert.equal(amountText(42.005, 'EUR', 'en'), '€42.005')
  assert.equal(amountText(1_000_000, 'JPY', 'en'), '¥1,000,000')
  assert.equal(amountText(0.1 + 0.2, 'EUR', 'en'), '€0.30000000000000004')
  assert.equal(amountText(0.1, 'EUR', 'en'), '€0.10')
  assert.equal(amountText(5, 'XTS', 'de').replace(/\s/g, ' '), '5,00 XTS')
  assert.deepEqual(agreementLines({ kind: 'signature', documents: [] }, 'en'), ['Sign'])
  assert.deepEqual(agreementLines({ kind: 'other', title: 'Terms', lines: [] }, 'en'), ['Terms'])
})

test('the test wallet shows what it signs: amount, payee, type, and the exact text behind a fold', async () => {
  const made = await shop.asking([PAYMENT])
  const asked = (uri: string) => service.call('GET', `/sandbox/wallet?uri=${encodeURIComponent(uri)}`)
  const { text } = await asked(made.wallet_uri)
  assert.match(
    text,
    /<strong>Pay €42\.50 to Corner Shop<\/strong><span class="small">Type: <code>urn:eudi:sca:payment:1<\/code>/,
  )
  const { json } = await service.call('GET', `/v1/verifications/${made.id}/transaction`, { key: shop.key })
  assert.ok(text.includes(`<pre>${json.transaction[0].data}</pre>`))
  assert.match(text, /<pre>\{&#34;payload&#34;:.*order-4711/)
  const form = new URLSearchParams({ uri: made.wallet_uri, scenario: 'good', transaction: 'no_hashes' }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const signed = await service.call('POST', '/sandbox/wallet', { raw: form, headers })
  assert.match(signed.text, /Verification failed/)
  const plain = (await shop.create({ query: { credentials: [CARD] } })).json
  assert.doesNotMatch((await asked(plain.wallet_uri)).text, /You confirm/)
})
