// Tests Annex C with an issuer and wallet in Python (annex_c_wallet.py). Needs packages of PyPI.

import assert from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import test, { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { fetchOffer, OWN_ORIGIN, postAnswer } from '../harness/dc-api.ts'
import { installPython } from '../harness/servers/python.ts'
import { assertRefused, OPERATOR, type TestService, testService } from '../harness/service.ts'
import { within } from '../harness/wait.ts'
import { create, read } from '../wallet/verifications.ts'
import { serviceWithProofs } from './proof-helper.ts'

const WALLET = fileURLToPath(new URL('annex_c_wallet.py', import.meta.url))
const packages = await installPython(['cbor2==6.2.1', 'cryptography==50.0.2'], {
  what: 'Python packages',
  loss: 'no wallet in Python answered',
})
after(() => packages?.remove())

const LICENCE = 'org.iso.18013.5.1.mDL'
const NAME_SPACE = 'org.iso.18013.5.1'
const NAME = {
  credentials: [
    {
      id: 'licence',
      format: 'mso_mdoc',
      meta: { doctype_value: LICENCE },
      claims: [{ path: [NAME_SPACE, 'family_name'] }, { path: [NAME_SPACE, 'given_name'] }],
    },
  ],
}
const ELEMENTS = { family_name: 'Specimen', given_name: 'Vida' }
const BIRTH = { birth_date: '1990-07-14' }
const ELSEWHERE = 'https://shop.example'

/** The program's answer to one line. */
type Python = (request: object) => Promise<Readonly<Record<string, unknown>>>

function startPython(python: string): Python {
  const child: ChildProcessWithoutNullStreams = spawn(python, [WALLET])
  after(() => child.kill())
  const problems: string[] = []
  // If it has ended, its last output says why.
  child.stdin.on('error', () => undefined)
  child.stderr.setEncoding('utf8').on('data', (text: string) => problems.push(text))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return async (request) => {
    child.stdin.write(`${JSON.stringify(request)}\n`)
    const { value, done } = await within('an answer of the wallet in Python', lines.next())
    assert.ok(done !== true, problems.join(''))
    return JSON.parse(value)
  }
}

async function openScene(service: TestService, python: Python) {
  const now = Math.floor(service.clock.now() / 1000)
  const key = await service.key(await service.tenant())

  /** A licence of a separate authority, which both sides trust unless the case says otherwise. */
  async function issue(licence: string, elements: object, isTrusted = true): Promise<void> {
    const { authority } = await python({ do: 'issue', licence, now, elements, dates: BIRTH })
    if (!isTrusted) return
    const added = await addAnchor(service.deps, {
      owner: { tenantId: null, environment: 'test' },
      kind: 'ca',
      profile: 'iso-mdl',
      types: [`mso_mdoc:${LICENCE}`],
      certificate: new Uint8Array(Buffer.from(String(authority), 'base64')),
      actor: OPERATOR,
    })
    assert.equal(added.outcome, 'added', JSON.stringify(added))
  }

  /** Returns what the page gets from the wallet. */
  async function ask(body: object) {
    const { id } = await create(service, key, body)
    const { json } = await fetchOffer(service, id)
    const { data } = json.requests.find((one: { protocol: string }) => one.protocol === 'org-iso-mdoc')
    return { id, data: data as Readonly<Record<string, string>> }
  }

  async function answered(body: object, licence: string, change: object = {}) {
    const { id, data } = await ask(body)
    const reply = await python({ do: 'answer', licence, data, origin: OWN_ORIGIN, ...change })
    const { response } = reply
    assert.ok(response !== undefined, JSON.stringify(reply))
    const posted = await postAnswer(service, id, { protocol: 'org-iso-mdoc', data: { response } })
    return { reply, posted, result: await read(service, key, id) }
  }
  return { issue, ask, answered, python }
}

if (packages !== null) {
  const python = startPython(packages.python)
  const scenes = {
    off: await openScene(await testService(), python),
    on: await openScene(await serviceWithProofs(), python),
  }
  for (const [proofs, scene] of Object.entries(scenes)) testWallet(scene, proofs)
}

function testWallet({ issue, ask, answered, python }: Awaited<ReturnType<typeof openScene>>, proofs: string): void {
  const [adult, byBirth] = [`adult, ${proofs}`, `birth date alone, ${proofs}`]

  test(`proofs ${proofs}: the wallet checks the reader, and its answer completes`, async () => {
    await issue(adult, { ...ELEMENTS, age_over_18: true })
    const { reply, posted, result } = await answered({ query: NAME }, adult)
    assert.equal(posted.status, 200, posted.text)
    assert.equal(result.status, 'completed', JSON.stringify(result))
    assert.deepEqual(result.claims, ELEMENTS)
    assert.ok((reply.readers as string[]).length > 0, 'the request is not signed')
  })

  test(`proofs ${proofs}: the wallet answers an age with the document, although a proof is possible`, async () => {
    await issue(byBirth, ELEMENTS)
    // The second licence has a birth date but no age, so its answer uses alternativeDataElements.
    for (const licence of [adult, byBirth]) {
      const { reply, result } = await answered({ template: 'age_over_18' }, licence)
      assert.deepEqual([result.status, result.claims], ['completed', { age_over_18: true }], JSON.stringify(result))
      assert.equal(reply.asksForProof, proofs === 'on')
      assert.equal(result.credentials[0].format, 'mso_mdoc')
    }
  })

  test(`proofs ${proofs}: the wallet refuses a request of another page, and we refuse a dishonest answer`, async () => {
    const { data } = await ask({ query: NAME })
    const refusal = await python({ do: 'answer', licence: adult, data, origin: ELSEWHERE })
    assert.deepEqual(refusal, { refused: 'InvalidSignature' })
    for (const [change, code] of [
      [{ signedFor: ELSEWHERE }, 'holder_binding_invalid'],
      [{ withhold: ['given_name'] }, 'query_not_satisfied'],
    ] as const) {
      const { result } = await answered({ query: NAME }, adult, change)
      assert.deepEqual([result.status, result.error?.code], ['failed', code], JSON.stringify(result))
      assert.equal(result.claims, undefined)
    }
    await issue('unknown', ELEMENTS, false)
    const { result } = await answered({ query: NAME }, 'unknown')
    assert.deepEqual([result.status, result.error?.code], ['failed', 'issuer_untrusted'])
  })

  test(`proofs ${proofs}: an answer encrypted for another page or verification cannot be decrypted, and ends nothing`, async () => {
    const { data } = await ask({ query: NAME })
    for (const change of [{ sealedFor: ELSEWHERE }, { data }]) {
      const { posted, result } = await answered({ query: NAME }, adult, change)
      assertRefused(posted, 400, 'invalid_wallet_response')
      assert.equal(result.status, 'pending')
    }
  })
}
