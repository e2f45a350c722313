// A list that a set-up file changes keeps what it has named: a mark that an earlier issue contradicts stays void.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { TYPE, toPem } from '@vidimus/wallet'
import { mintIaca } from '../../../engine/test/trust/mint-pki.ts'
import { loadAnchors } from '../../src/features/trust/store/anchors.ts'
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

it('more types, fewer types, and types as before', async () => {
  const vical = vicalFactory(Math.floor(service.clock.now() / 1000))
  const { der: certificate } = mintIaca()
  const owner = { tenantId: null, environment: 'test' } as const
  const sole = { docType: TYPE.mdl, nameSpace: 'org.iso.18013.5.1', withoutStatus: false }
  const marked = { owner, kind: 'ca', profile: 'iso-mdl', types: [MDL], certificate, actor: OPERATOR, sole } as const
  assert.equal((await addAnchor(service.deps, marked)).outcome, 'added')
  let served = vical.listOf([{ docTypes: [TYPE.pidMdoc] }, { docTypes: ['org.example.club'], certificate }])
  const server = createServer((_request, response) => response.end(served))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  after(() => server.close())
  const source = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`
  const pem = toPem(Buffer.from(vical.signerText, 'base64'), 'CERTIFICATE').trim().replace(/^/gm, '            ')
  const apply = async (types: readonly string[]) => {
    const file = join(folder, 'set-up.yaml')
    await writeFile(
      file,
      `vidimus: 1
service:
  test:
    trust_lists:
      - kind: vical
        source: ${source}
        types: ${JSON.stringify(types)}
        signer: |
${pem}
tenants: []
`,
    )
    const applied = await vidimus('apply', '-f', file)
    assert.equal(applied.code, 0, applied.err)
  }
  const realm = { tenantId: await service.tenant(), environment: 'test' } as const
  const marks = async () =>
    (await loadAnchors(service.deps.db, realm, instantOf(service.clock.now()))).flatMap(({ sole: mark }) => mark ?? [])
  assert.equal((await marks()).length, 1)
  await apply([PID])
  assert.deepEqual(await marks(), [], 'the first issue names the key for another type')
  served = vical.listOf([{ docTypes: [TYPE.pidMdoc] }, { docTypes: [TYPE.mdl], certificate }])
  await runJob(service.deps, 'refresh-trust-lists')
  for (const types of [[PID, OTHER_PID], [PID], [PID, OTHER_PID]]) {
    await apply(types)
    assert.deepEqual(await marks(), [], types.join(' '))
  }
})
