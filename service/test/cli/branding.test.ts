// vidimus branding: a real process beside a real store.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { LOGO } from '../harness/pages/brands.ts'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const service = await testService()
const tenant = await service.tenant()
const folder = await mkdtemp(join(tmpdir(), 'vidimus-branding-'))
after(() => rm(folder, { recursive: true }))
const env = {
  ...BARE_ENVIRONMENT,
  DATABASE_URL: service.url,
  VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
}

async function branding(verb: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = [MAIN, 'branding', verb, '--tenant', tenant, ...args]
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, command, { env })) }
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string }
  }
}
const json = async (verb: string, ...args: string[]) => JSON.parse((await branding(verb, ...args, '--json')).stdout)

test('what is named is changed, the rest stays, and an empty text takes it away', async () => {
  const logo = join(folder, 'logo.svg')
  await writeFile(logo, LOGO)
  assert.deepEqual(await json('show'), { name: null, colour: null, support_url: null, privacy_url: null, logo: null })
  const set = await json('set', '--name', 'Sonnenhof', '--colour', '#0B6B4F', '--logo', logo)
  assert.deepEqual([set.name, set.colour], ['Sonnenhof', '#0b6b4f'])
  const next = await json('set', '--support-url', 'https://shop.example/help', '--name', '')
  assert.deepEqual(next, { ...set, name: null, support_url: 'https://shop.example/help' })
  assert.deepEqual(await json('show'), next)
  assert.equal((await json('show', '--environment', 'live')).colour, null)
  assert.equal((await json('set', '--logo', '')).logo, null)
})

test('what is refused is said, with what is wrong in a logo', async () => {
  const logo = join(folder, 'bad.svg')
  await writeFile(logo, LOGO.replace('</svg>', '<script/></svg>'))
  const refused = await branding('set', '--logo', logo)
  assert.notEqual(refused.code, 0)
  assert.match(refused.stderr, /what a drawing does not need: <script>/)
  assert.match((await branding('set', '--privacy-url', 'http://x.example')).stderr, /must be an https address/)
  assert.match((await branding('set', '--logo', join(folder, 'none'))).stderr, /cannot be read \(ENOENT\)/)
})
