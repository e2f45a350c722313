// Tests that each limit of a response can be reached and not exceeded. Counts operations, measures no time.

import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { test } from 'node:test'
import { SIGNATURE_ALGORITHMS } from '../src/algorithms.ts'
import type { Trust } from '../src/expected.ts'
import { parseJson } from '../src/json.ts'
import {
  type Budget,
  LIMITS,
  newBudget,
  newWork,
  OVERSPENT,
  PRICES,
  spend,
  spendRead,
  spendSignature,
  spendWork,
  VERIFICATION,
} from '../src/limits.ts'
import { readResponse } from '../src/openid4vp/response.ts'
import { createChainCache, parsePaid } from '../src/trust/cache.ts'
import { MalformedCertificate, parseCertificate } from '../src/trust/certificate.ts'
import { judgeChain } from '../src/trust/chain.ts'
import { verifyPresentation } from '../src/verify.ts'
import { asking, identity, licence, presentLicence, trust } from './judgement.ts'
import { ELEMENTS } from './mdoc/mint-mdoc.ts'
import * as sdJwt from './sdjwt/mint-presentation.ts'
import { extensionOf, mintCertificate, oid, sequence, tlv } from './trust/mint-certificate.ts'
import { mintAuthority, mintSigner, NOW } from './trust/mint-pki.ts'

const { mintPresentation, VCT } = sdJwt
const several = asking({ credentials: [{ ...identity, multiple: true }] })

/** Returns a budget that is full except for one member. */
function only(name: keyof Budget, left: number): Budget {
  return { ...newBudget(), [name]: left }
}

const onlyWork = (left: number): Budget => newBudget(newWork(left))
const workOf = ({ work }: Budget) => LIMITS.work - work.left

/** Judges with an empty cache. The returned budget shows what is left. */
async function judged(presentations: readonly string[], budget: Budget = newBudget(), changes: Partial<Trust> = {}) {
  const fresh = { ...trust, cache: createChainCache(9), ...changes }
  const verdict = await verifyPresentation({ identity: presentations }, several, fresh, budget)
  return { verdict, budget }
}

const distinct = (count: number): string[] =>
  Array.from({ length: count }, (_, i) =>
    mintPresentation({ payload: (payload) => ({ ...payload, iat: NOW - 3600 - i }) }),
  )

for (const name of ['valuesLeft', 'disclosuresLeft'] as const) {
  test(`two presentations spend ${name} from one budget: the exact amount is accepted, one less is refused`, async () => {
    const two = distinct(2)
    const { budget } = await judged(two)
    const spent = newBudget()[name] - budget[name]
    assert.ok(spent > 0)
    assert.equal((await judged(two, only(name, spent))).verdict.outcome, 'accepted')
    assert.equal((await judged(two, only(name, spent - 1))).verdict.outcome, 'rejected')
  })
}

test('two presentations spend work from one budget: the exact amount is accepted, one less is refused', async () => {
  const two = distinct(2)
  const spent = workOf((await judged(two)).budget)
  assert.equal((await judged(two, onlyWork(spent))).verdict.outcome, 'accepted')
  assert.equal((await judged(two, onlyWork(spent - 1))).verdict.outcome, 'rejected')
})

test('two mdocs spend items from one budget: the exact amount is accepted, one less is refused', async () => {
  const both = asking({ credentials: [licence, { ...licence, id: 'second' }] })
  const token = { licence: [presentLicence()], second: [presentLicence()] }
  const judge = async (budget: Budget) =>
    (await verifyPresentation(token, both, { ...trust, cache: createChainCache(9) }, budget)).outcome
  const budget = newBudget()
  assert.equal(await judge(budget), 'accepted')
  const spent = LIMITS.cborItems - budget.itemsLeft
  assert.equal(await judge(only('itemsLeft', spent)), 'accepted')
  assert.equal(await judge(only('itemsLeft', spent - 1)), 'rejected')
})

test('an mdoc pays for its certificate and both signatures, and nothing unpaid is verified', async () => {
  const judge = async (budget: Budget) => {
    const fresh = { ...trust, cache: createChainCache(9) }
    return verifyPresentation({ licence: [presentLicence()] }, asking({ credentials: [licence] }), fresh, budget)
  }
  const budget = newBudget()
  assert.equal((await judge(budget)).outcome, 'accepted')
  const spent = workOf(budget)
  // The cost of the presentation, of three signatures, of parsing mdoc and certificate, of the path, and of the named revocation list.
  assert.ok(spent > 6 * VERIFICATION && spent < 8 * VERIFICATION, `${spent}`)
  const failures: string[] = []
  // The device's signature is paid before the claims, and these before the list, so a smaller shortfall fails later.
  for (const missing of [VERIFICATION + 30, PRICES.listReference + 20, PRICES.listReference + 1]) {
    const verdict = await judge(onlyWork(spent - missing))
    assert.ok(verdict.outcome === 'rejected' && verdict.message === OVERSPENT, JSON.stringify(verdict))
    failures.push(verdict.code)
  }
  assert.deepEqual(failures, ['credential_invalid', 'holder_binding_invalid', 'query_not_satisfied'])
})

test('a certificate is paid by its bytes, and by the curve of its key', () => {
  const paidFor = (namedCurve: string) => {
    const { der } = mintCertificate({ key: generateKeyPairSync('ec', { namedCurve }) })
    const work = newWork()
    parsePaid(der, { work })
    return LIMITS.work - work.left - Math.ceil((der.length * VERIFICATION) / PRICES.certificateBytes)
  }
  const { certificate, longKey } = PRICES
  assert.equal(paidFor('P-256'), certificate)
  assert.equal(paidFor('P-384'), certificate + longKey['P-384'])
  assert.equal(paidFor('P-521'), certificate + longKey['P-521'])
})

test('a signature with RSA is paid by the length of the key', () => {
  const paidFor = (modulusLength: number) => {
    const n = Buffer.alloc(modulusLength / 8, 0xff).toString('base64url')
    const publicKey = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' })
    const work = newWork()
    assert.ok(spendSignature({ work }, { kind: 'RSA', publicKey }))
    return LIMITS.work - work.left
  }
  assert.ok(paidFor(2048) < VERIFICATION / 2)
  assert.ok(paidFor(4096) < 1.5 * VERIFICATION)
  assert.ok(paidFor(8192) > 3.7 * VERIFICATION)
})

test('reading costs work: bytes, escapes and values of the envelope, and each presentation with its items', async () => {
  const sent = (text: string) => {
    const budget = newBudget()
    const body = Buffer.from(`vp_token=${text}`)
    assert.equal(readResponse(body, { encryption: null, state: null }, budget).kind, 'presentation')
    assert.ok(spendRead(budget))
    return workOf(budget)
  }
  const token = (count: number) => JSON.stringify({ a: ['x'.repeat(count)] })
  const short = sent(token(10))
  assert.ok(short < VERIFICATION / 10, `${short}`)
  const more = (times: number, price: number) => (times * VERIFICATION) / price
  const about = (paid: number, price: number) => assert.ok(Math.abs(paid - short - price) < 5, `${paid}, not ${price}`)
  about(sent(token(900_000)), more(900_000, PRICES.receivedBytes))
  about(
    sent(token(60_000).replaceAll('xx', '%78x')),
    more(120_000, PRICES.receivedBytes) + more(30_000, PRICES.formEscapes),
  )
  const escapes = token(1_000).replaceAll('x', '\\n')
  about(sent(escapes), more(2_000, PRICES.receivedBytes) + more(1_000, PRICES.jsonEscapes))
  const values = JSON.stringify({ a: Array(1_000).fill(0) })
  about(sent(values), more(2_000, PRICES.receivedBytes) + more(1_000, PRICES.jsonValues))
  const wide = presentLicence({
    elements: { 'org.iso.18013.5.1': { ...ELEMENTS['org.iso.18013.5.1'], a: Array(999).fill(0) } },
  })
  const spentOn = async (presented: string) => {
    const budget = newBudget()
    const fresh = { ...trust, cache: createChainCache(9) }
    const query = asking({ credentials: [licence] })
    assert.equal((await verifyPresentation({ licence: [presented] }, query, fresh, budget)).outcome, 'accepted')
    return workOf(budget)
  }
  const grown = (await spentOn(wide)) - (await spentOn(presentLicence()))
  assert.ok(grown > more(1_000, PRICES.cborItems), `${grown}`)
})

test("work that cannot be paid is not done: the limits of all parsers together exceed one response's budget", async () => {
  const full = (escapes: number, values: number) =>
    mintPresentation({
      payload: (payload) => ({ ...payload, list: Array(values).fill(0), more: '\n'.repeat(escapes) }),
    })
  const all = [full(LIMITS.jsonEscapes - 100, LIMITS.jsonValues - 200), ...distinct(1)]
  const budget = newBudget()
  const padding = '%78'.repeat(30_000) + 'x'.repeat(1_700_000 - JSON.stringify(all).length)
  const body = Buffer.from(`vp_token=${encodeURIComponent(JSON.stringify({ identity: all }))}&more=${padding}`)
  const response = readResponse(body, { encryption: null, state: null }, budget)
  assert.ok(response.kind === 'presentation')
  const { verdict } = await judged(all, budget)
  assert.ok(verdict.outcome === 'rejected' && verdict.message === OVERSPENT, JSON.stringify(verdict))
  assert.equal(budget.work.left, 0)
  assert.ok(verdict.credentials.every(({ checks }) => checks.every(({ status }) => status === 'fail')))
})

test('the envelope and the presentations share one budget', async () => {
  const budget = newBudget()
  const body = Buffer.from(`vp_token=${encodeURIComponent(JSON.stringify({ identity: distinct(2) }))}`)
  const response = readResponse(body, { encryption: null, state: null }, budget)
  assert.equal(LIMITS.jsonValues - budget.valuesLeft, 4)
  assert.equal(response.kind, 'presentation')
  assert.equal(readResponse(body, { encryption: null, state: null }, only('valuesLeft', 4)).kind, 'presentation')
  assert.equal(readResponse(body, { encryption: null, state: null }, only('valuesLeft', 3)).kind, 'malformed')
})

test('the limits of the form: bytes, fields and escapes', () => {
  const kind = (text: string) => readResponse(Buffer.from(text), { encryption: null, state: null }).kind
  const fields = (count: number) => ['error=x', ...Array.from({ length: count - 1 }, (_, i) => `f${i}=`)].join('&')
  assert.equal(kind(fields(LIMITS.fields)), 'wallet_error')
  assert.equal(kind(fields(LIMITS.fields + 1)), 'malformed')
  const sized = (bytes: number) => `error=x&more=${'x'.repeat(bytes - 13)}`
  assert.equal(kind(sized(LIMITS.bodyBytes)), 'wallet_error')
  assert.equal(kind(sized(LIMITS.bodyBytes + 1)), 'malformed')
  // The limit on escapes covers all fields, with their names, and every kind of escape.
  for (const written of ['+', '%41', '%c3%a9']) {
    const each = written.length === 6 ? 2 : 1
    const withEscapes = (count: number) =>
      `error=x&${written.repeat(1_000)}=&more=${written.repeat(count / each - 1_000)}`
    assert.equal(kind(withEscapes(LIMITS.formEscapes)), 'wallet_error', written)
    assert.equal(kind(withEscapes(LIMITS.formEscapes + 2 * each)), 'malformed', written)
  }
})

test('escapes of JSON are counted over the whole response: the envelope and every text in it', async () => {
  const presented = mintPresentation({ concealed: { given_name: '\n'.repeat(20) } })
  const { budget, verdict } = await judged([presented])
  assert.equal(verdict.outcome, 'accepted')
  assert.equal(LIMITS.jsonEscapes - budget.escapesLeft, 20)
  assert.equal((await judged([presented], only('escapesLeft', 20))).verdict.outcome, 'accepted')
  assert.equal((await judged([presented], only('escapesLeft', 19))).verdict.outcome, 'rejected')
  const envelope = (count: number) =>
    readResponse(Buffer.from(`vp_token={"a":["${'\\n'.repeat(count)}"]}`), { encryption: null, state: null }).kind
  assert.equal(envelope(LIMITS.jsonEscapes), 'presentation')
  assert.equal(envelope(LIMITS.jsonEscapes + 1), 'malformed')
})

test('hashing costs work like signatures, so fewer large presentations are verified', async () => {
  const long = (letters: number, digest = 'sha-256') =>
    mintPresentation({
      payload: (payload) => ({ ...payload, _sd_alg: digest, more: 'x'.repeat(letters) }),
      disclosures: () => [],
    })
  const spentOn = async (presented: string) => workOf((await judged([presented])).budget)
  const small = await spentOn(long(0))
  const large = await spentOn(long(300_000))
  // The bytes are hashed twice: for the issuer's signature, and for the holder's key binding.
  const hashed = ((large - small) / VERIFICATION) * PRICES.hashedBytes
  assert.ok(Math.abs(hashed - 2 * 400_000) < 2_000, `${hashed}`)
  assert.ok((await spentOn(long(300_000, 'sha3-512'))) > large, 'a slower hash costs more')
  const { verdict } = await judged([long(300_000)], onlyWork(large - VERIFICATION))
  assert.ok(verdict.outcome === 'rejected' && verdict.message === OVERSPENT, JSON.stringify(verdict))
})

test('the digests of an mdoc are paid by the hashed bytes', async () => {
  const big = presentLicence({
    elements: { 'org.iso.18013.5.1': { ...ELEMENTS['org.iso.18013.5.1'], portrait: Buffer.alloc(720_000, 1) } },
  })
  const judge = async (budget: Budget) =>
    verifyPresentation(
      { licence: [big] },
      asking({ credentials: [licence] }),
      { ...trust, cache: createChainCache(9) },
      budget,
    )
  const budget = newBudget()
  assert.equal((await judge(budget)).outcome, 'accepted')
  const spent = workOf(budget)
  assert.ok(spent > (720_000 / PRICES.hashedBytes + 4) * VERIFICATION, `${spent}`)
  const verdict = await judge(onlyWork(spent - 2 * VERIFICATION))
  assert.ok(verdict.outcome === 'rejected' && verdict.message === OVERSPENT, JSON.stringify(verdict))
})

test('twenty licences with portraits of 30 kB are within the budget of one response', async () => {
  const picture = (at: number) => Buffer.alloc(30_000, at)
  const all = Array.from({ length: LIMITS.presentations }, (_, at) =>
    presentLicence({
      elements: { 'org.iso.18013.5.1': { ...ELEMENTS['org.iso.18013.5.1'], portrait: picture(at) } },
    }),
  )
  const budget = newBudget()
  const query = asking({ credentials: [{ ...licence, multiple: true }] })
  const verdict = await verifyPresentation({ licence: all }, query, { ...trust, cache: createChainCache(9) }, budget)
  assert.equal(verdict.outcome, 'accepted', JSON.stringify(verdict))
  const margin = budget.work.left / LIMITS.work
  assert.ok(margin > 0.15 && margin < 0.4, `${margin}: enough for lists, and not much more`)
})

test('what may still be read is limited to what the rest of the budget can pay for', () => {
  const budget = onlyWork(3 * VERIFICATION)
  assert.ok(spendRead(budget))
  assert.equal(budget.valuesLeft, 3 * PRICES.jsonValues)
  assert.equal(budget.itemsLeft, 3 * PRICES.cborItems)
  budget.valuesLeft -= 2 * PRICES.jsonValues
  budget.escapesLeft -= PRICES.jsonEscapes / 2
  assert.ok(spendRead(budget))
  assert.equal(budget.work.left, VERIFICATION / 2)
  assert.equal(budget.valuesLeft, PRICES.jsonValues / 2)
  // Each alone is within its limit, together they are not: then nothing more is read.
  budget.valuesLeft = 0
  budget.itemsLeft = 0
  assert.equal(spendRead(budget), false)
  assert.deepEqual([budget.valuesLeft, budget.escapesLeft, budget.itemsLeft, budget.claimStepsLeft], [0, 0, 0, 0])
})

test('a number of many digits counts as two values', () => {
  const read = (number: string) => {
    const budget = { valuesLeft: 10, escapesLeft: 0 }
    parseJson(number, budget)
    return 10 - budget.valuesLeft
  }
  assert.equal(read('1234567890123456'), 1)
  assert.equal(read('0.12345678901234567890123'), 2)
})

test('the number of presentations in a response is limited', async () => {
  const all = distinct(LIMITS.presentations + 1)
  assert.equal((await judged(all.slice(1))).verdict.outcome, 'accepted')
  assert.equal((await judged(all)).verdict.outcome, 'rejected')
})

test('after a presentation has failed, the others are listed but not verified', async () => {
  const forged = mintPresentation({ signWith: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey })
  const alone = await judged([forged])
  const { verdict, budget } = await judged([forged, ...distinct(3)])
  assert.ok(verdict.outcome === 'rejected')
  assert.equal(verdict.code, 'credential_invalid')
  // Listing parses each, which costs less than verifying one of its signatures.
  const listing = alone.budget.work.left - budget.work.left
  assert.ok(listing > 3 * PRICES.presentation && listing < 3 * (PRICES.presentation + VERIFICATION), `${listing}`)
  assert.equal(verdict.credentials.length, 4)
  for (const { checks, trusted, signatureValid, holderBindingValid } of verdict.credentials.slice(1)) {
    assert.deepEqual(
      checks.map(({ check, status }) => `${check} ${status}`),
      ['well_formed pass', 'issuer_trusted skipped'],
    )
    assert.deepEqual([trusted, signatureValid, holderBindingValid], [false, false, false])
  }
})

test('a failure names the first credential that failed, even if a later one is unreadable', async () => {
  const expired = mintPresentation({ payload: (payload) => ({ ...payload, exp: NOW - 3600 }) })
  const { verdict } = await judged([...distinct(1), expired, '~'])
  assert.ok(verdict.outcome === 'rejected')
  assert.equal(verdict.code, 'credential_expired')
  assert.equal(verdict.credentials.length, 3)
})

const p521 = () => generateKeyPairSync('ec', { namedCurve: 'P-521' })

test('tries certificates that only name an authority while the budget lasts: four on P-521, not six', () => {
  const authority = mintAuthority({ subject: { CN: 'On P-521' }, key: p521() })
  const impostor = { ...authority, privateKey: p521().privateKey }
  const chain = [
    mintSigner(impostor, { subjectName: authority.subject }),
    ...Array.from({ length: LIMITS.chainLength - 1 }, () =>
      mintAuthority({ subjectName: authority.subject }, impostor),
    ),
  ]
  const anchors = [{ ...sdJwt.anchor, certificate: authority.der }]
  const judge = (length: number, budget: Budget) => {
    const question = {
      chain: chain.slice(0, length).map(({ der }) => der),
      type: VCT,
      at: NOW,
      use: 'credential',
      format: 'dc+sd-jwt',
    } as const
    const answer = judgeChain(question, { anchors, cache: createChainCache(9), haip: false }, budget)
    assert.ok(answer.outcome === 'untrusted')
    return answer.detail
  }
  const budget = newBudget()
  assert.equal(judge(4, budget), 'a signature of the certificate chain is not valid')
  assert.ok(workOf(budget) > 4 * SIGNATURE_ALGORITHMS.ES512.work * VERIFICATION)
  assert.equal(judge(LIMITS.chainLength, newBudget()), OVERSPENT)
})

test('names and key identifiers are compared before any signature is verified', () => {
  const authority = mintAuthority({ subject: { CN: 'Root' } })
  const between = mintAuthority({ subject: { CN: 'Between' } }, authority)
  const elsewhere = mintSigner(mintAuthority({ subject: { CN: 'Elsewhere' } }))
  const budget = newBudget()
  const question = {
    chain: [elsewhere.der, between.der],
    format: 'dc+sd-jwt',
    type: VCT,
    at: NOW,
    use: 'credential',
  } as const
  const anchors = [{ ...sdJwt.anchor, certificate: authority.der }]
  const answer = judgeChain(question, { anchors, cache: createChainCache(9), haip: false }, budget)
  assert.equal(answer.outcome, 'untrusted')
  // Two certificates, each parsed and hashed, and one anchor.
  assert.ok(workOf(budget) < 3 * VERIFICATION, `${workOf(budget)}`)
})

test('candidates for the issuer of a pinned signer are tried while the budget lasts', () => {
  const issuer = mintAuthority({ subject: { CN: 'Issuer of the pinned' } })
  const pinned = mintSigner(issuer)
  const impostors = Array.from({ length: 3 }, () => mintAuthority({ subject: { CN: 'Issuer of the pinned' } }))
  const anchors = [{ ...sdJwt.anchor, certificate: pinned.der, kind: 'pinned' as const }]
  const issuerFound = (budget: Budget) => {
    const chain = [pinned, ...impostors, issuer].map(({ der }) => der)
    const question = { chain, format: 'dc+sd-jwt', type: VCT, at: NOW, use: 'credential' } as const
    const answer = judgeChain(question, { anchors, cache: createChainCache(9), haip: false }, budget)
    assert.ok(answer.outcome === 'trusted')
    return answer.issued[0]?.issuer !== null
  }
  const whole = newBudget()
  assert.equal(issuerFound(whole), true)
  assert.equal(issuerFound(onlyWork(workOf(whole))), true)
  assert.equal(issuerFound(onlyWork(workOf(whole) - 1)), false)
})

test('cached or pinned certificates are not parsed again', async () => {
  const cache = createChainCache(9)
  const first = workOf((await judged(distinct(1), newBudget(), { cache })).budget)
  const again = workOf((await judged(distinct(1), newBudget(), { cache })).budget)
  // Neither parsed nor verified again.
  assert.ok(first - again > PRICES.certificate + VERIFICATION, `${first} and ${again}`)
  const anchors = [{ ...sdJwt.anchor, certificate: sdJwt.signer.der, kind: 'pinned' as const }]
  const pinned = workOf((await judged(distinct(1), newBudget(), { anchors })).budget)
  assert.ok(pinned < first - PRICES.certificate, `${pinned}`)
})

test("the holder's signature is paid by the type of its key, and not verified without budget", async () => {
  const holder = p521()
  const presented = mintPresentation({
    payload: (payload) => ({ ...payload, cnf: { jwk: holder.publicKey.export({ format: 'jwk' }) } }),
    bindingHeader: (header) => ({ ...header, alg: 'ES512' }),
    bindingJwt: (jwt) => withSignature(jwt, holder.privateKey),
  })
  const { budget } = await judged([presented])
  // Pays for the certificate, the credential and the key binding.
  const spent = workOf(budget)
  assert.ok(spent > (1 + 1 + SIGNATURE_ALGORITHMS.ES512.work) * VERIFICATION, `${spent}`)
  const { verdict } = await judged([presented], onlyWork(spent - VERIFICATION))
  assert.ok(verdict.outcome === 'rejected')
  assert.deepEqual([verdict.code, verdict.message], ['holder_binding_invalid', OVERSPENT])
})

test('the limits of one certificate: bytes, members, attributes of its name', () => {
  const filled = (bytes: number) =>
    mintCertificate({ extensions: [extensionOf('2a0304', false, Buffer.alloc(bytes))] }).der
  const bare = filled(30_000).length - 30_000
  // The length of a signature varies by a byte or two.
  assert.doesNotThrow(() => parseCertificate(filled(LIMITS.certificateBytes - bare - 8)))
  assert.throws(() => parseCertificate(filled(LIMITS.certificateBytes - bare + 8)), MalformedCertificate)

  const listing: Readonly<Record<string, (count: number) => Uint8Array>> = {
    names: (count) => extensionOf('551d11', false, sequence(...Array(count).fill(tlv(0x82, Buffer.from('a'))))),
    purposes: (count) => extensionOf('551d25', false, sequence(...Array(count).fill(oid('2a03')))),
    points: (count) => extensionOf('551d1f', false, sequence(...Array(count).fill(point(1)))),
    addresses: (count) => extensionOf('551d1f', false, sequence(point(count - 1), point(1))),
  }
  for (const [what, list] of Object.entries(listing)) {
    const certificate = (count: number) => mintCertificate({ extensions: [list(count)] }).der
    assert.doesNotThrow(() => parseCertificate(certificate(LIMITS.derMembers)), what)
    assert.throws(() => parseCertificate(certificate(LIMITS.derMembers + 1)), MalformedCertificate, what)
  }

  const attribute = tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from('a'))))
  const names = (count: number) =>
    parseCertificate(mintCertificate({ subjectName: sequence(...Array(count).fill(attribute)) }).der).subjectNames
  assert.equal(names(LIMITS.nameAttributes)?.commonName.length, LIMITS.nameAttributes)
  assert.equal(names(LIMITS.nameAttributes + 1), null)
})

test('the number of certificates in a chain is limited', () => {
  const authority = mintAuthority({ subject: { CN: 'Root' } })
  const signer = mintSigner(authority)
  const padded = (length: number) => {
    const chain = [signer, ...Array(length - 1).fill(authority)].map(({ der }) => der)
    const question = { chain, format: 'dc+sd-jwt', type: VCT, at: NOW, use: 'credential' } as const
    const anchors = [{ ...sdJwt.anchor, certificate: authority.der }]
    return judgeChain(question, { anchors, cache: createChainCache(9), haip: false }).outcome
  }
  assert.equal(padded(LIMITS.chainLength), 'trusted')
  assert.equal(padded(LIMITS.chainLength + 1), 'untrusted')
})

test('an RSA key with a long exponent, which makes each verification expensive, is refused', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { n = '' } = publicKey.export({ format: 'jwk' })
  const withExponent = (e: Buffer) => {
    const key = createPublicKey({ key: { kty: 'RSA', n, e: e.toString('base64url') }, format: 'jwk' })
    return mintCertificate({ key: { publicKey: key, privateKey } }).der
  }
  assert.equal(parseCertificate(withExponent(Buffer.from('010001', 'hex'))).kind, 'RSA')
  assert.throws(() => parseCertificate(withExponent(Buffer.from('010003', 'hex'))), MalformedCertificate)
  assert.throws(() => parseCertificate(withExponent(Buffer.from('ffffffff', 'hex'))), MalformedCertificate)
})

test('a budget spends an amount as a whole or not at all, and never returns it', () => {
  const budget = newBudget()
  assert.equal(spend(budget, 'disclosuresLeft', LIMITS.disclosures), true)
  assert.equal(spend(budget, 'disclosuresLeft', 1), false)
  assert.equal(spendWork(budget, LIMITS.work + 1), false)
  assert.equal(spendSignature(budget, 'P-256'), false)
  assert.equal(spendWork(budget.lists, 1), false, 'lists spend from the same budget')
})

function point(addresses: number): Uint8Array {
  return sequence(tlv(0xa0, tlv(0xa0, ...Array(addresses).fill(tlv(0x86, Buffer.from('http://a'))))))
}

function withSignature(jwt: string, key: KeyObject): string {
  const input = jwt.split('.', 2).join('.')
  return `${input}.${sign('sha512', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}
