// The pages of /docs: each is built once, however many requests for it arrive at the same time.

import assert from 'node:assert/strict'
import test from 'node:test'
import { buildApp } from '../../src/http-server.ts'
import { testService } from '../harness/service.ts'

const service = await testService()

/** The CPU time, in milliseconds, of simultaneous requests to a process that has built nothing yet. */
async function costOf(path: string, count: number): Promise<number> {
  const app = buildApp(service.deps, 'at first use')
  await app.inject('/docs')
  const before = process.cpuUsage()
  const answers = await Promise.all(Array.from({ length: count }, () => app.inject(path)))
  const { user, system } = process.cpuUsage(before)
  assert.deepEqual(new Set(answers.map(({ statusCode, payload }) => `${statusCode} ${payload}`)).size, 1)
  assert.equal(answers[0]?.statusCode, 200)
  await app.close()
  return (user + system) / 1000
}

for (const path of ['/docs/search.json', '/docs/interface'])
  test(`30 simultaneous requests of ${path} share one build`, async () => {
    await costOf(path, 1)
    const [one, many] = [await costOf(path, 1), await costOf(path, 30)]
    assert.ok(many < 6 * one + 30, `one request took ${one} ms of CPU, 30 took ${many} ms`)
  })
