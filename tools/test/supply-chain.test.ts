// Tests which packages we ship, and under which licences.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { licenceProblems } from '../licences.ts'

const ROOT = join(import.meta.dirname, '..', '..')

describe('licences', () => {
  it('of every package in the lock file are accepted', () => {
    assert.deepEqual(licenceProblems(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')), [])
  })

  it('are parsed as expressions; a missing one is refused', () => {
    const judge = (license?: string, name = 'a') =>
      licenceProblems(JSON.stringify({ packages: { '': {}, [`node_modules/${name}`]: { license } } })).length === 0
    assert.ok(judge('MIT'))
    assert.ok(judge('(MIT OR GPL-3.0-only)'))
    assert.ok(judge('GPL-2.0-only OR Apache-2.0'))
    assert.ok(judge('(MIT AND Zlib)'))
    assert.ok(!judge('MIT AND GPL-3.0-only'))
    assert.ok(!judge('AGPL-3.0-only'))
    assert.ok(!judge('UNLICENSED'))
    assert.ok(!judge('SEE LICENSE IN LICENSE.txt'))
    assert.ok(!judge(undefined))
    assert.ok(judge('MPL-2.0', 'lightningcss-linux-x64-gnu'))
    assert.ok(!judge('MPL-2.0', 'another'))
    assert.ok(!judge('constructor'))
  })
})

it('the bill of materials names every package with its hash and licence, and no download host', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const [command = '', ...args] = (scripts.sbom ?? '').split(' ')
  const text = execFileSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const bill = JSON.parse(text) as {
    bomFormat: string
    components: {
      'bom-ref': string
      name: string
      hashes?: unknown[]
      licenses?: unknown[]
      externalReferences?: { type: string }[]
    }[]
  }
  assert.equal(bill.bomFormat, 'CycloneDX')
  // npm names our packages by their folders, and one folder is called "typescript".
  const others = bill.components.filter((component) => !component['bom-ref'].startsWith('@vidimus/'))
  assert.ok(others.some(({ name }) => name === 'fastify'))
  assert.ok(!others.some(({ name }) => name === 'typescript'), 'a package that only tests need is shipped')
  for (const { name, hashes, licenses, externalReferences = [] } of others) {
    assert.ok(hashes !== undefined && licenses !== undefined, name)
    assert.ok(!externalReferences.some(({ type }) => type === 'distribution'), name)
  }
})
