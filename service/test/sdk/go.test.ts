// Tests the client for Go: its own tests, and the whole job against a running service.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { findLanguage, runIn, SDK } from './language.ts'
import { doWholeJob } from './whole-job.ts'

const go = findLanguage('Go')

if (go !== null) {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-go-'))
  after(() => rm(folder, { recursive: true }))
  const [tests, wholeJob] = [join(folder, 'tests'), join(folder, 'whole-job')]
  // Builds outside of tests, which have two minutes: the first build in Go on a machine includes its standard library.
  await runIn('go', go, ['test', '-c', '-o', tests, '.'])
  await runIn('go', go, ['build', '-o', wholeJob, './integration'])
  await runIn('go', go, ['vet', './...'])

  it('is formatted by gofmt', async () => {
    const root = (await runIn('go', go, ['env', 'GOROOT'])).trim()
    assert.equal(await runIn('go', join(root, 'bin', 'gofmt'), ['-l', '.']), '')
  })

  it('passes its own tests', async () => {
    await runIn('go', tests, ['-test.v'])
  })

  it('does the whole job against a running service', async () => {
    await doWholeJob({ program: wholeJob, args: () => [], cwd: join(SDK, 'go') })
  })
}
