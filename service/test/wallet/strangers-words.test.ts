// Searches everything that the service answers, stores, logs and sends for a word of a stranger's certificates.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { formBody } from '@vidimus/wallet'
import { mintMdoc } from '../../../engine/test/mdoc/mint-mdoc.ts'
import { base64, mintPresentation } from '../../../engine/test/sdjwt/mint-presentation.ts'
import { extension, keyUsage } from '../../../engine/test/trust/mint-certificate.ts'
import { mintAuthority, mintSigner } from '../../../engine/test/trust/mint-pki.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'
import { deliverDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { dumpedWith, isIn, sealedWith } from '../harness/word-search.ts'
import { create, respond } from './verifications.ts'

const service = await testService({}, LOOPBACK)
const wallet = await testWallet(service)
const tenant = await service.tenant()
const key = await service.key(tenant)
const viewer = await person(service, tenant, 'owner')
const { run } = commandLine(service)
const now = () => Math.floor(service.clock.now() / 1000)

const QUERIES = {
  'dc+sd-jwt': {
    id: 'identity',
    format: 'dc+sd-jwt',
    meta: { vct_values: ['urn:eudi:pid:1'] },
    claims: [{ path: ['given_name'] }],
  },
  mso_mdoc: {
    id: 'licence',
    format: 'mso_mdoc',
    meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
    claims: [{ path: ['org.iso.18013.5.1', 'given_name'] }],
  },
} as const

/** Returns every name of a subject that we read, and addresses in extensions. */
function strangers(word: string) {
  const subject = Object.fromEntries(
    ['CN', 'O', 'OU', 'L', 'ST', 'C'].map((name) => [name, name === 'C' ? 'ZZ' : word]),
  )
  const authority = mintAuthority({ subject })
  const extensions = [
    extension.noAuthority(),
    extension.keyUsage(keyUsage.digitalSignature),
    extension.issuerAltName(`https://${word}.example`),
    extension.crlAt(`https://${word}.example/crl`),
  ]
  return { authority, signer: mintSigner(authority, { subject, extensions }) }
}

type Mint = (
  word: string,
  bound: { readonly nonce: string; readonly clientId: string; readonly responseUri: string },
) => string

const sdJwt =
  (vct: (word: string) => string): Mint =>
  (word, { nonce, clientId }) => {
    const { authority, signer } = strangers(word)
    return mintPresentation({
      concealed: { given_name: word, [word]: word },
      header: (usual) => ({ ...usual, kid: word, x5c: [base64(signer.der), base64(authority.der)] }),
      payload: (usual) => ({
        ...usual,
        vct: vct(word),
        aka_vcts: ['urn:eudi:pid:1', word],
        iss: `https://${word}.example`,
        sub: word,
        iat: now() - 60,
        exp: now() + 3600,
        status: { status_list: { idx: 1, uri: `https://${word}.example/status` } },
        [word]: word,
      }),
      signWith: signer.privateKey,
      binding: (usual) => ({ ...usual, nonce, aud: clientId, iat: now(), [word]: word }),
    })
  }

const mdoc =
  (docType: (word: string) => string): Mint =>
  (word, { nonce, clientId, responseUri }) =>
    mintMdoc({
      docType: docType(word),
      signer: strangers(word).signer,
      elements: { 'org.iso.18013.5.1': { given_name: word, [word]: word }, [word]: { [word]: word } },
      mso: (usual) => ({ ...usual, docType: docType(word), [word]: word }),
      transcript: { nonce, clientId, responseUri },
    })

const cases: [string, keyof typeof QUERIES, Mint][] = [
  ['SD-JWT of a type that was asked for', 'dc+sd-jwt', sdJwt(() => 'urn:eudi:pid:1')],
  ['SD-JWT of a type that its signer says is the one asked for', 'dc+sd-jwt', sdJwt((word) => `urn:${word}`)],
  ['mdoc of the type that was asked for', 'mso_mdoc', mdoc(() => 'org.iso.18013.5.1.mDL')],
  ['mdoc of another type', 'mso_mdoc', mdoc((word) => `org.${word}`)],
]

for (const [title, format, mint] of cases) {
  test(`${title}: no text of a stranger is repeated anywhere`, async () => {
    const word = `stranger${randomBytes(8).toString('hex')}`
    const receiver = await startReceiver()
    const created = await create(service, key, { query: { credentials: [QUERIES[format]] }, webhook_url: receiver.url })
    const request = await wallet.request(created.wallet_uri)
    const presented = mint(word, request)
    assert.ok(
      isIn(word, Buffer.from(presented, 'base64url').toString('latin1') + presented),
      'the answer contains the word',
    )
    const vpToken = { [QUERIES[format].id]: [presented] }
    const taken = await respond(service, created.id, await formBody(request, { vpToken }))
    assert.equal(taken.status, 200, taken.text)
    assert.ok((await deliverDue(service)) > 0)

    const read = await service.call('GET', `/v1/verifications/${created.id}`, { key })
    assert.equal(read.json.status, 'failed', read.text)
    assert.equal(read.json.error.code, 'issuer_untrusted')
    const [credential] = read.json.credentials
    assert.deepEqual([credential.issuer, credential.doctype_or_vct, credential.trusted], [{}, '', false])
    const answers = [
      taken,
      read,
      await service.call('GET', '/v1/verifications', { key }),
      await service.call('GET', `/v1/verifications/${created.id}/receipt`, { key }),
      await service.call('GET', `/v1/verifications/${created.id}/diagnostics`, { key }),
      await service.call('GET', `/verify/${created.id}`),
      await viewer.call('GET', `@/verifications/${created.id}`),
      await viewer.call('GET', '@/verifications'),
      await viewer.call('GET', '@/audit'),
      await service.call('GET', '/metrics', { from: '127.0.0.1' }),
    ]
    for (const [nth, { status, text }] of answers.entries()) {
      assert.equal(status, 200, `${nth}: ${text}`)
      assert.ok(!isIn(word, text), `${nth}: ${text}`)
    }
    // Receipts are signed tokens, so their decoded payload is searched, too.
    for (const part of (answers[3]?.text ?? '').match(/[\w-]{20,}/g) ?? [])
      assert.ok(!isIn(word, Buffer.from(part, 'base64url').toString('latin1')))
    assert.equal(receiver.received.length, 1)
    for (const { body, headers } of receiver.received)
      assert.ok(!isIn(word, body) && !isIn(word, JSON.stringify(headers)), body.toString())
    assert.ok(!isIn(word, (await run('audit', 'list', '--tenant', tenant, '--environment', 'test')).out))
    assert.ok(!isIn(word, service.logged.join('\n')), 'logged')
    assert.deepEqual(await dumpedWith(service.deps, word), [])
    assert.deepEqual(await sealedWith(service.deps, word), [])
  })
}
