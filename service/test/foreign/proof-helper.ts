// A service that requests zero-knowledge proofs, for wallets that cannot make any. Its helper loads its circuits and accepts no proof.

import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after } from 'node:test'
import { ZK_CIRCUITS } from '@vidimus/engine'
import { type TestService, testService } from '../harness/service.ts'
import { AGE_ALONE, LICENCE_ALONE, trustSoleIssuer } from '../harness/sole-issuer.ts'
import { once, waitUntil } from '../harness/wait.ts'

export async function serviceWithProofs(): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-proofs-'))
  after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'helper.sock')
  const helper = createServer((socket) => {
    socket.on('error', () => undefined)
    createInterface({ input: socket }).on('line', (line) => {
      const { id } = JSON.parse(line) as { id: number }
      socket.write(`${JSON.stringify({ id, answer: 'invalid' })}\n`)
    })
  })
  helper.listen(path)
  await once(helper, 'listening')
  helper.unref()
  const service = await testService({}, { VIDIMUS_ZK_VERIFIER: `unix:${path}` })
  await trustSoleIssuer(service.deps, AGE_ALONE)
  await trustSoleIssuer(service.deps, LICENCE_ALONE)
  const canCheck = (hash: string) => service.deps.zkVerifier?.canCheck(hash) === true
  await waitUntil('the helper has loaded its circuits', () => ZK_CIRCUITS.every(({ hash }) => canCheck(hash)))
  return service
}
