// Runs the samples of the docs against the service, in each installed language.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { promisify } from 'node:util'
import { ID, KEY_PLACEHOLDER, type SampleLanguage, samplesOf } from '../../src/features/docs/http/samples.ts'
import { listeningService } from '../harness/listening.ts'
import { findLanguage, QUIET, SDK } from '../sdk/language.ts'
import { ROOT } from './blocks.ts'
import { buildGoSamples } from './go-samples.ts'

const service = await listeningService()
const key = await service.key(await service.tenant())
const folder = await mkdtemp(join(tmpdir(), 'vidimus-samples-'))
after(() => rm(folder, { recursive: true, force: true }))
const samples = samplesOf(service.base)

/** Calls that need only a key and an id, in an order in which each call finds its objects. */
const CALLS = [
  ...['createVerification', 'getVerification', 'getVerificationStatus', 'listVerifications', 'getVerificationVerdict'],
  ...[
    'cancelVerification',
    'eraseVerification',
    'createLink',
    'listLinks',
    'registerDevice',
    'listDevices',
    'getUsage',
  ],
]

type Program = (code: string) => readonly [program: string, args: readonly string[], file: string | null]

const PROGRAMS: Readonly<Record<Exclude<SampleLanguage, 'go'>, Program | null>> = {
  curl: (code) => ['sh', ['-c', code.replace(/^curl /, 'curl -sS --fail-with-body ')], null],
  typescript: (code) => [process.execPath, ['--input-type=module', '-e', code], null],
  python: installed('Python', (python, code) => [python, ['-c', code], null]),
  php: installed('PHP', (php, code) => [
    php,
    [join(folder, 'sample.php')],
    `<?php\n${code.replace(/^(use [^\n]+\n)/, `$1require '${join(SDK, 'php', 'autoload.php')}';\n`)}`,
  ]),
}

function installed(
  name: 'Python' | 'PHP',
  run: (program: string, code: string) => ReturnType<Program>,
): Program | null {
  const program = findLanguage(name)
  return program === null ? null : (code) => run(program, code)
}

for (const [language, program] of Object.entries(PROGRAMS) as [keyof typeof PROGRAMS, Program | null][]) {
  test(language, async (t) => {
    if (program === null) {
      t.diagnostic(`no ${language} on this machine`)
      return
    }
    let id = ID
    for (const call of CALLS) {
      const code = samples[call]?.code[language] ?? assert.fail(call)
      const [path, args, file] = program(code.replaceAll(KEY_PLACEHOLDER, key).replaceAll(ID, id))
      if (file !== null) await writeFile(join(folder, 'sample.php'), file)
      const env = { ...process.env, ...QUIET, PYTHONPATH: join(SDK, 'python') }
      const { stdout } = await promisify(execFile)(path, [...args], { cwd: ROOT, env }).catch((error) =>
        assert.fail(`${call} in ${language}: ${error.stdout}${error.stderr}`),
      )
      if (call === 'createVerification') {
        id = /ver_[A-Za-z0-9]{32}/.exec(decodeURIComponent(stdout))?.[0] ?? assert.fail(stdout)
      }
    }
    const { status } = await service.call('GET', `/v1/verifications/${id}`, { key })
    assert.equal(status, 404, 'the last call erased the verification')
  })
}

test('go: all samples compile, and the calls above run', async (t) => {
  const go = findLanguage('Go')
  if (go === null) {
    t.diagnostic('no go on this machine')
    return
  }
  const run = await buildGoSamples({ go, folder, samples, key })
  let id = ID
  for (const call of CALLS) {
    const stdout = await run(call, id)
    if (call === 'createVerification')
      id = /ver_[A-Za-z0-9]{32}/.exec(decodeURIComponent(stdout))?.[0] ?? assert.fail(stdout)
  }
  const { status } = await service.call('GET', `/v1/verifications/${id}`, { key })
  assert.equal(status, 404, 'the last call erased the verification')
})
