// A service under test that really listens, at an address its links name.

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Config } from '../../src/config.ts'
import { type TestService, testService } from './service.ts'

export async function listeningService(change: Partial<Config> = {}): Promise<TestService & { readonly base: string }> {
  const port = await freePort()
  const base = `http://localhost:${port}`
  const service = await testService({ baseUrl: base, ...change })
  await service.app.listen({ host: '127.0.0.1', port })
  return { ...service, base }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
