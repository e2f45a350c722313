// Tests what the hosted page shows of a transaction: from the sent text, in every language, only as text.

import assert from 'node:assert/strict'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { saveType } from '../../src/core/transactions/usecases/manage-types.ts'
import { shownOf } from '../../src/features/pages/domain/shown-transaction.ts'
import { agreementLines, amountText } from '../../src/features/pages/http/agreement-lines.ts'
import { openHostedPage } from '../harness/dc-api.ts'
import { OPERATOR } from '../harness/service.ts'
import { APPROVAL, CARD, openShop, PAYLOAD, PAYMENT } from './asking.ts'

const shop = await openShop()
const { service, realm } = shop
const pageOf = async (id: string, language: string) =>
  (await service.call('GET', `/verify/${id}?lang=${language}`)).text

const headed = (to: string, amount: string) =>
  new RegExp(`<h1 class="pay"><span>${to} Corner Shop</span> <span class="amount">${amount}</span></h1>`)
const linesOf = (text: string) => [...text.matchAll(/<p class="purpose">([^<]+)<\/p>/g)].map(([, line]) => line)

const PAYS = {
  en: headed('Pay', '€42\\.50'),
  de: headed('Zahlung an', '42,50\\s€'),
  fr: headed('Paiement à', '42,50\\s€'),
  it: headed('Pagamento a', '42,50\\s€'),
  es: headed('Pago a', '42,50\\s€'),
  nl: headed('Betaling aan', '€\\s42,50'),
}

test('payee and amount are the heading, then who asks, the reference and the date of payment, before what is shared, in six languages', async () => {
  const created = await shop.asking([PAYMENT])
  for (const [language, words] of Object.entries(PAYS)) {
    const text = await pageOf(created.id, language)
    assert.match(text, words)
    assert.ok(gzipSync(text).length < 5 * 1024, 'the page itself stays light')
  }
  const text = await pageOf(created.id, 'en')
  assert.deepEqual(linesOf(text), [
    'Test tenant asks you to pay Corner Shop.',
    'Reference: order-4711',
    'Your wallet shows the amount and the payee. You pay only when you confirm there.',
  ])
  assert.ok(text.indexOf('order-4711') < text.indexOf('class="received"'), 'the payment comes first')
  assert.doesNotMatch(text, /(type of|Accepted|your|matching|This) IDs?\b/, 'a card is not an ID')
  const own = await shop.asking([
    { ...PAYMENT, payload: { ...PAYLOAD, payee: { ...PAYLOAD.payee, name: 'Test tenant' } } },
  ])
  assert.doesNotMatch(await pageOf(own.id, 'en'), /asks you to pay/, 'a name that is payee and merchant is shown once')
  const both = await shop.asking([PAYMENT, APPROVAL])
  assert.match(
    await pageOf(both.id, 'en'),
    /<h1>[^<]+ asks you to confirm<\/h1>[\s\S]*<li>Pay €42\.50 to Corner Shop<\/li>/,
  )
  const plain = (await shop.create({ query: { credentials: [CARD] } })).json
  assert.doesNotMatch(await pageOf(plain.id, 'en'), /agreed|class="pay"|asks you/)
  await shop.answer(created)
  assert.doesNotMatch(await pageOf(created.id, 'en'), /Corner Shop|42\.50/)
})

test('after expiry neither the page nor the card shows the transaction', async () => {
  const details = /Corner Shop|42\.50|order-4711/
  const created = await shop.asking([PAYMENT])
  const cardOf = () => service.call('GET', `/verify/${created.id}/card?lang=en`)
  assert.match((await cardOf()).text, details)
  await openHostedPage(service, created.id)
  assert.equal((await cardOf()).json.error.code, 'session_mismatch', 'a browser holds the verification')
  service.clock.advance(3_600_000)
  const { status, json, text } = await cardOf()
  assert.deepEqual([status, json.step, json.facts], [200, 'expired', []])
  assert.doesNotMatch(text, details)
  assert.doesNotMatch(await pageOf(created.id, 'en'), details)
})

test("a merchant's text stays text, whatever it contains", async () => {
  const type = 'https://shop.example/terms'
  await saveType(service.deps, { realm, type, title: 'Terms <i>', schema: { type: 'object' }, actor: OPERATOR })
  const hostile = '<img src=x onerror=alert(1)>"&\''
  const created = await shop.asking([
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
  const text = await pageOf(created.id, 'en')
  assert.doesNotMatch(text, /<img src=x|<script>|<i>/)
  assert.match(text, /to &#60;img src=x onerror=alert\(1\)&#62;/)
  assert.match(text, /This payment repeats\./)
  assert.match(text, /Sign: &#60;script&#62;/)
  assert.match(text, /Terms &#60;i&#62;: .* · 7 · …</)
  assert.match(text, /Raise the limit · Bank/)
  assert.match(text, /The monthly bill/)
  assert.match(text, /See the balance/)
  assert.doesNotMatch(text, /in an object|order-4711/)
})

const MANDATE_LINES = {
  en: [
    'Mandate: The monthly bill',
    'Creditor: DE98ZZZ09999999999',
    'Mandate reference: M-1',
    'Starts: 1 January 2027',
    'Ends: 1 January 2040 at 22:30:00 UTC',
    'Pay €42.50 to Corner Shop',
    'This payment repeats.',
  ],
  de: ['Mandat: The monthly bill', 'Gläubiger: DE98ZZZ09999999999', 'Mandatsreferenz: M-1', 'Beginn: 1. Januar 2027'],
  fr: [
    'Mandat : The monthly bill',
    'Créancier : DE98ZZZ09999999999',
    'Référence du mandat : M-1',
    'Début : 1 janvier 2027',
  ],
  it: [
    'Mandato: The monthly bill',
    'Creditore: DE98ZZZ09999999999',
    'Riferimento del mandato: M-1',
    'Inizio: 1 gennaio 2027',
  ],
  es: [
    'Mandato: The monthly bill',
    'Acreedor: DE98ZZZ09999999999',
    'Referencia del mandato: M-1',
    'Inicio: 1 de enero de 2027',
  ],
  nl: [
    'Machtiging: The monthly bill',
    'Incassant: DE98ZZZ09999999999',
    'Machtigingskenmerk: M-1',
    'Begin: 1 januari 2027',
  ],
}
const agreedItems = (text: string) =>
  [...text.matchAll(/<ul class="asked agreed">(.*?)<\/ul>/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/<li>([^<]*)<\/li>/g)].map(([, line = '']) => line.replaceAll('\u00a0', ' ')),
  )

test('a mandate shows what it allows, to whom and how long, also beside its payment, in six languages', async () => {
  const created = await shop.asking([
    {
      type: 'urn:eudi:sca:emandate:1',
      payload: {
        transaction_id: 'a',
        purpose: 'The monthly bill',
        creditor_id: 'DE98ZZZ09999999999',
        reference_number: 'M-1',
        start_date: '2027-01-01',
        end_date: '2040-01-01T23:30:00+01:00',
        payment_payload: { ...PAYLOAD, recurrence: { frequency: 'MNTH' } },
      },
    },
  ])
  for (const [language, lines] of Object.entries(MANDATE_LINES)) {
    const text = await pageOf(created.id, language)
    const shown = agreedItems(text)
    assert.deepEqual(shown.slice(0, lines.length), lines)
    assert.equal(shown.length, MANDATE_LINES.en.length)
    assert.doesNotMatch(text, /class="pay"/, 'a mandate is more than its payment')
  }
  const { json } = await service.call('GET', `/verify/${created.id}/card?lang=en`)
  assert.equal(json.payment, null)
  assert.deepEqual(
    json.facts.map(({ value }: { value: string }) => value),
    MANDATE_LINES.en,
  )
})

const LEFT_DOCUMENTS = {
  en: 'Sign: 3 documents not named here',
  de: 'Unterschreiben: 3 hier nicht genannte Dokumente',
  fr: 'Signer : 3 documents non nommés ici',
  it: 'Firmare: 3 documenti non indicati qui',
  es: 'Firmar: 3 documentos no indicados aquí',
  nl: 'Ondertekenen: 3 documenten die hier niet worden genoemd',
}

test('an approval counts the documents that it does not name, and names those of both lists', async () => {
  const [{ hash } = { hash: '' }] = APPROVAL.documentDigests
  const label = (name: string) => ({ label: name, hash })
  const created = await shop.asking([
    {
      ...APPROVAL,
      documentDigests: [{ hash }, label(' '), ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(label)],
      documentInfos: ['Sale of a house', 'Annex'].map(label),
    },
  ])
  for (const [language, line] of Object.entries(LEFT_DOCUMENTS)) {
    const shown = agreedItems(await pageOf(created.id, language))
    assert.match(shown[7] ?? '', /: Sale of a house$/)
    assert.deepEqual(shown.slice(8), [line])
  }
  const [one] = agreementLines({ kind: 'signature', documents: [{ hash }] }, 'en')
  assert.equal(one, 'Sign: 1 document not named here')
})

test('an ellipsis marks values that are not shown', () => {
  const linesOfTerms = (members: object) => {
    const text = Buffer.from(JSON.stringify({ type: 'urn:shop:terms', ...members })).toString('base64url')
    return agreementLines(shownOf({ text, type: 'urn:shop:terms', title: 'Terms' }), 'en')
  }
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`n${n}`, n]))
  assert.deepEqual(linesOfTerms(many), ['Terms: 0 · 1 · 2 · 3 · 4 · 5 · 6 · 7 · …'])
  assert.deepEqual(linesOfTerms({ text: 'x'.repeat(301) }), [`Terms: ${'x'.repeat(300)} · …`])
  assert.deepEqual(linesOfTerms({ agreed: true, note: null }), ['Terms: …'])
  assert.deepEqual(linesOfTerms({ text: 'a', n: 1 }), ['Terms: a · 1'])
})

test('exactly the signed text is shown: nothing is rounded', () => {
  assert.equal(amountText(42.005, 'EUR', 'en'), '€42.005')
  assert.equal(amountText(1_000_000, 'JPY', 'en'), '¥1,000,000')
  assert.equal(amountText(0.1 + 0.2, 'EUR', 'en'), '€0.30000000000000004')
  assert.equal(amountText(0.1, 'EUR', 'en'), '€0.10')
  assert.equal(amountText(5, 'XTS', 'de').replace(/\s/g, ' '), '5,00 XTS')
  assert.deepEqual(agreementLines({ kind: 'signature', documents: [] }, 'en'), ['Sign'])
  assert.deepEqual(agreementLines({ kind: 'other', title: 'Terms', lines: [] }, 'en'), ['Terms'])
})

test('the test wallet shows what it signs: amount, payee, type, and the exact text in a fold', async () => {
  const created = await shop.asking([PAYMENT])
  const openWallet = (uri: string) => service.call('GET', `/sandbox/wallet?uri=${encodeURIComponent(uri)}`)
  const { text } = await openWallet(created.wallet_uri)
  assert.match(text, /<h1 class="pay"><span>Pay Corner Shop<\/span> <span class="amount">€42\.50<\/span><\/h1>/)
  assert.match(text, /<summary>What you sign, exactly<\/summary><p>Type: <code>urn:eudi:sca:payment:1<\/code>/)
  const { json } = await service.call('GET', `/v1/verifications/${created.id}/transaction`, { key: shop.key })
  assert.ok(text.includes(`<pre>${json.transaction[0].data}</pre>`))
  assert.match(text, /<pre>\{&#34;payload&#34;:.*order-4711/)
  const form = new URLSearchParams({ uri: created.wallet_uri, scenario: 'good', transaction: 'no_hashes' }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const signed = await service.call('POST', '/sandbox/wallet', { raw: form, headers })
  assert.match(signed.text, /Verification failed/)
  const plain = (await shop.create({ query: { credentials: [CARD] } })).json
  assert.doesNotMatch((await openWallet(plain.wallet_uri)).text, /What you sign/)
})
