// Tests that acknowledged writes survive kill -9.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { dataFolder, killServer, startProcess } from '../harness/servers/embedded.ts'

const ROUNDS = 10
/** Numbers of one round stay below the next one's. */
const ROUND_SIZE = 1_000_000

it(`acknowledged writes exist after kill -9 of everything, ${ROUNDS} times in a row`, async (t) => {
  const dataDir = join(await dataFolder(t, tmpdir()), 'data')
  const acknowledged: number[] = []
  const restarts: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const service = await startProcess(t, dataDir)
    assert.equal(service.ready.adopted, false)
    restarts.push(service.ready.ms)
    assertAllThere(acknowledged, service.ready.written)
    service.tell(`write ${round * ROUND_SIZE}`)
    await service.next('committed')
    // Kills at a random moment while rows are written.
    await delay(randomInt(200))
    await (round % 2 === 0 ? killServer(service.ready) : undefined)
    await service.kill()
    if (round % 2 === 1) await killServer(service.ready)
    acknowledged.push(...service.committed)
  }
  const last = await startProcess(t, dataDir)
  assertAllThere(acknowledged, last.ready.written)
  await last.stop()
  t.diagnostic(`${acknowledged.length} acknowledged rows; starts in ms: ${restarts.join(', ')}`)
})

function assertAllThere(acknowledged: readonly number[], written: readonly number[]): void {
  const missing = new Set(acknowledged).difference(new Set(written))
  assert.deepEqual([...missing], [])
}
