// Tests `vidimus branding` on a real store.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { NO_BRANDING, renderBranding } from '../../src/features/pages/domain/branding/branding.ts'
import { LOGO } from '../harness/pages/brands.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const tenant = await service.tenant()
const folder = await mkdtemp(join(tmpdir(), 'vidimus-branding-'))
after(() => rm(folder, { recursive: true }))
const cli = commandLine(service)

const branding = (verb: string, ...args: string[]) => cli.run('branding', verb, '--tenant', tenant, ...args)
const json = async (verb: string, ...args: string[]) => JSON.parse((await branding(verb, ...args, '--json')).out)

test('named values are changed, others stay, and an empty text removes a value', async () => {
  const logo = join(folder, 'logo.svg')
  await writeFile(logo, LOGO)
  assert.deepEqual(await json('show'), renderBranding(NO_BRANDING))
  const set = await json('set', '--name', 'Sonnenhof', '--colour', '#0B6B4F', '--logo', logo)
  assert.deepEqual([set.name, set.colour], ['Sonnenhof', '#0b6b4f'])
  const next = await json('set', '--support-url', 'https://shop.example/help', '--name', '')
  assert.deepEqual(next, { ...set, name: null, support_url: 'https://shop.example/help' })
  assert.deepEqual(await json('show'), next)
  assert.equal((await json('show', '--environment', 'live')).colour, null)
  assert.equal((await json('set', '--logo', '')).logo, null)
  const look = ['--background', '#F4EFE6', '--radius', 'small', '--font', 'inter', '--help-text', 'Call us.']
  const dark = await json('set', ...look, '--logo-dark', logo)
  assert.deepEqual([dark.background, dark.radius, dark.font, dark.help_text], ['#f4efe6', 'small', 'inter', 'Call us.'])
  assert.equal(dark.logo_dark, set.logo)
})

test('a refusal is explained, also for a logo', async () => {
  const logo = join(folder, 'bad.svg')
  await writeFile(logo, LOGO.replace('</svg>', '<script/></svg>'))
  const refused = await branding('set', '--logo', logo)
  assert.notEqual(refused.code, 0)
  assert.match(refused.err, /that are not allowed: <script>/)
  assert.match((await branding('set', '--privacy-url', 'http://x.example')).err, /must be an https address/)
  assert.match((await branding('set', '--font', 'comic')).err, /--font must be one of system, inter/)
  assert.match((await branding('set', '--radius', '9px')).err, /--radius must be one of none/)
  assert.match((await branding('set', '--logo', join(folder, 'none'))).err, /cannot be read \(ENOENT\)/)
})
