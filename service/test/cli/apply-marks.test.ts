// Tests that a list keeps the keys that it has named when a set-up file changes it, so a contradicted mark stays void.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, it } from 'node:test'
import { TYPE, toPem } from '@vidimus/wallet'
import { mintIaca } from '../../../engine/test/trust/mint-pki.ts'
import { loadAnchors } from '../../src/features/trust/store/anchors.ts'
import {
  importTrustList,
  removeTrustList,
  showTrustLists,
} from '../../src/features/trust/usecases/import-trust-list.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { instantOf } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { vicalFactory } from '../moving/vical.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const { run: vidimus } = commandLine(service)
const folder = await mkdtemp(join(tmpdir(), 'vidimus-marks-'))
after(() => rm(folder, { recursive: true }))

const MDL = `mso_mdoc:${TYPE.mdl}` as const
const PID = `mso_mdoc:${TYPE.pidMdoc}` as const
const OTHER_PID = `dc+sd-jwt:${TYPE.pidSdJwt}` as const

const vical = vicalFactory(Math.floor(service.clock.now() / 1000))
const { der: certificate } = mintIaca()
const owner = { tenantId: null, environment: 'test' } as const
const sole = { docType: TYPE.mdl, nameSpace: 'org.iso.18013.5.1', withoutStatus: false }
const marked = { owner, kind: 'ca', profile: 'iso-mdl', types: [MDL], certificate, actor: OPERATOR, sole } as const
assert.equal((await addAnchor(service.deps, marked)).outcome, 'added')
/** Two issues of a list: the first contradicts the mark, the second does not. */
const forClub = vical.listOf([{ docTypes: [TYPE.pidMdoc] }, { docTypes: ['org.example.club'], certificate }])
const forLicences = vical.listOf([{ docTypes: [TYPE.pidMdoc] }, { docTypes: [TYPE.mdl], certificate }])

let served: Uint8Array | null = forClub
const server = createServer((_request, response) => {
  response.statusCode = served === null ? 503 : 200
  response.end(served)
})
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
after(() => server.close())
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const realm = { tenantId: await service.tenant(), environment: 'test' } as const
const marks = async () =>
  (await loadAnchors(service.deps.db, realm, instantOf(service.clock.now()))).flatMap(({ sole: mark }) => mark ?? [])

const pemOf = (der: Uint8Array) => toPem(Buffer.from(der), 'CERTIFICATE').trim().replace(/^/gm, '            ')

async function apply(
  types: readonly string[],
  { signer = vical.signer, path = '/list', options = [] as string[] } = {},
) {
  const file = join(folder, 'set-up.yaml')
  await writeFile(
    file,
    `vidimus: 1
service:
  test:
    trust_lists:
      - kind: vical
        source: ${base}${path}
        types: ${JSON.stringify(types)}
        signer: |
${pemOf(signer)}
tenants: []
`,
  )
  return vidimus('apply', '-f', file, ...options)
}

async function applied(...change: Parameters<typeof apply>) {
  const { code, err } = await apply(...change)
  assert.equal(code, 0, err)
}

afterEach(async () => {
  for (const { id } of await showTrustLists(service.deps)) await removeTrustList(service.deps, id)
  assert.equal((await marks()).length, 1, 'the mark holds again once the lists are forgotten')
  served = forClub
})

it('a contradicted mark stays void when the file names more types, fewer types, and the types from before', async () => {
  assert.equal((await marks()).length, 1)
  await applied([PID])
  assert.deepEqual(await marks(), [], 'the first issue names the key for another type')
  served = forLicences
  await runJob(service.deps, 'refresh-trust-lists')
  for (const types of [[PID, OTHER_PID], [PID], [PID, OTHER_PID]]) {
    await applied(types)
    assert.deepEqual(await marks(), [], types.join(' '))
  }
})

it('a contradicted mark stays void when the types or the signer change while the host is unavailable', async () => {
  await applied([PID, OTHER_PID])
  served = null
  const other = vicalFactory(Math.floor(service.clock.now() / 1000))
  for (const signer of [vical.signer, other.signer, other.signer]) {
    const { code, err } = await apply([PID], { signer })
    assert.equal(code, 1)
    assert.match(err, /the list could not be fetched/)
    assert.deepEqual(await marks(), [])
  }
  const [kept, ...more] = await showTrustLists(service.deps)
  assert.deepEqual([kept?.types, more], [[], []])
  served = forLicences
  await runJob(service.deps, 'refresh-trust-lists')
  assert.deepEqual(await marks(), [])
  await applied([PID])
  assert.deepEqual(await marks(), [], 'the list that took its place knows the key')
  const lists = await showTrustLists(service.deps)
  assert.deepEqual(
    lists.map(({ types }) => types),
    [[PID]],
  )
})

it('a contradicted mark stays void when a list was imported twice and one import is removed', async () => {
  const terms = {
    owner,
    kind: 'vical',
    providers: 'mdoc',
    source: `${base}/list`,
    file: null,
    signer: vical.signer,
  } as const
  const imported = async (types: readonly (typeof PID | typeof OTHER_PID)[]) => {
    const done = await importTrustList(service.deps, { ...terms, signerAuthority: null, types: [...types] })
    assert.equal(done.outcome, 'loaded')
  }
  await imported([PID, OTHER_PID])
  served = forLicences
  await imported([PID])
  assert.deepEqual(await marks(), [])
  await applied([PID])
  assert.equal((await showTrustLists(service.deps)).length, 1)
  assert.deepEqual(await marks(), [])
})

const PRUNE = ['--prune', '--yes']
const sources = async () => (await showTrustLists(service.deps)).map(({ source }) => source.replace(base, ''))

/** Imports the issue that contradicts the mark, then loads the one that does not. */
async function contradicted() {
  await applied([PID])
  served = forLicences
  await runJob(service.deps, 'refresh-trust-lists')
  assert.deepEqual(await marks(), [])
}

it('a contradicted mark stays void when the list gets a new address', async () => {
  await contradicted()
  await applied([PID], { path: '/moved', options: PRUNE })
  assert.deepEqual([await sources(), await marks()], [['/moved'], []])
})

it('a contradicted mark stays void when the new address is added first, and the old one is removed later', async () => {
  await contradicted()
  await applied([PID], { path: '/moved' })
  await applied([PID], { path: '/moved', options: PRUNE })
  assert.deepEqual([await sources(), await marks()], [['/moved'], []])
})

it('a mark holds again when a list of another publisher takes the place of the list that contradicts it', async () => {
  await contradicted()
  const other = vicalFactory(Math.floor(service.clock.now() / 1000))
  served = other.listOf([{ docTypes: [TYPE.pidMdoc] }])
  await applied([PID], { signer: other.signer, path: '/other', options: PRUNE })
  assert.deepEqual([await sources(), (await marks()).length], [['/other'], 1])
})

const exported = async () => {
  const { code, out, err } = await vidimus('export')
  assert.equal(code, 0, err)
  return out.includes('sole_type')
}

it('an export has no mark that a list contradicts, or has contradicted: the file does not say what lists have named', async () => {
  assert.equal(await exported(), true)
  await applied([PID])
  assert.equal(await exported(), false)
  served = forLicences
  await runJob(service.deps, 'refresh-trust-lists')
  assert.deepEqual([await exported(), await marks()], [false, []])
})

it('an export has no mark that an anchor of an expired list contradicts', async () => {
  const file = Buffer.from(vical.listOf([{ docTypes: [TYPE.mdl], certificate }]))
  const terms = { owner, kind: 'vical', providers: 'mdoc', source: 'mail', file, signer: vical.signer } as const
  const done = await importTrustList(service.deps, { ...terms, signerAuthority: null, types: [MDL] })
  assert.equal(done.outcome, 'loaded')
  const lapsed = "update trust_lists set next_update_at = '2001-01-01T00:00:00Z'"
  await service.deps.db.query({ name: 'lapse', text: lapsed })
  assert.deepEqual([await marks(), await exported()], [[], false])
})

it('an export has no mark while the keys of a list are unknown', async () => {
  served = vical.listOf([{ docTypes: [TYPE.pidMdoc] }])
  await applied([PID])
  assert.equal(await exported(), true)
  // Removes what an earlier release did not store.
  await service.deps.db.query({ name: 'forget_keys', text: 'update trust_lists set keys_sha256 = null' })
  assert.deepEqual([await marks(), await exported()], [[], false])
})

it('an export keeps the mark of a certificate that is also trusted for types other than mdocs', async () => {
  const { sole: _, ...unmarked } = marked
  const added = await addAnchor(service.deps, { ...unmarked, types: [OTHER_PID] })
  assert.equal(added.outcome, 'added')
  assert.deepEqual([(await marks()).length, await exported()], [1, true])
  const file = join(folder, 'exported.yaml')
  await writeFile(file, (await vidimus('export')).out)
  const again = await vidimus('apply', '-f', file, '--plan')
  assert.deepEqual([again.code, /anchor/.test(again.out)], [0, false], again.out + again.err)
})
