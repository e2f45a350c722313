// Starts a service under test that listens at the address that its links name.

import type { Config } from '../../src/platform/config/config.ts'
import { reservePort } from '../../src/platform/reserved-port.ts'
import { type TestService, testService } from './service.ts'

export async function listeningService(
  change: Partial<Config> = {},
  env: Record<string, string> = {},
): Promise<TestService & { readonly base: string }> {
  const reserved = await reservePort('127.0.0.1')
  const base = `http://localhost:${reserved.port}`
  const service = await testService({ baseUrl: base, ...change }, env)
  await reserved.release()
  await service.app.listen({ host: '127.0.0.1', port: reserved.port })
  return { ...service, base }
}
