// Moves every key of an installation out of its process, like an operator: certificates, readers, receipts, log, audit.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { moveNoteKey } from '../../../src/features/operator/usecases/move-note-key.ts'
import { commandLine } from '../servers/command-line.ts'
import type { TestClock, TestService } from '../service.ts'
import { accessAuthority } from './access-authority.ts'

type Installation = Pick<TestService, 'deps'> & { readonly clock: Pick<TestClock, 'now' | 'advance'> }

/** Processes that start from now on sign with them. */
export async function moveKeys(service: Installation, referenceOf: (object: string) => string): Promise<void> {
  for (const environment of ['test', 'live'] as const)
    for (const purpose of ['openid4vp', 'iso-reader'] as const)
      await installExternal(service, { environment, purpose, reference: referenceOf(`${environment}-${purpose}`) })
  // If two keys became active at the same time, either signs.
  service.clock.advance(1)
  await commandLine(service).json('receipt', 'rotate-key', '--key', referenceOf('receipt'))
  for (const role of ['log', 'audit'] as const)
    assert.deepEqual(await moveNoteKey(service.deps, role, referenceOf(role)), { outcome: 'moved' })
}

export interface OutsideCertificate {
  readonly environment: 'test' | 'live'
  readonly purpose: 'openid4vp' | 'iso-reader'
  readonly reference: string
}

/** Installs an access certificate of the installation with an external key. */
export async function installExternal(
  service: Installation,
  { environment, purpose, reference }: OutsideCertificate,
): Promise<void> {
  const { json } = commandLine(service)
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-chain-'))
  try {
    const use = ['--environment', environment, '--purpose', purpose]
    const { csr } = await json('certificate', 'csr', ...use, '--common-name', 'Corner shop', '--key', reference)
    const { hostname } = new URL(service.deps.config.baseUrl)
    const chain = join(folder, 'chain.pem')
    await writeFile(chain, accessAuthority(service.clock.now(), hostname).certify(csr, purpose))
    await json('certificate', 'install', ...use, '--chain', chain)
  } finally {
    await rm(folder, { recursive: true })
  }
}
