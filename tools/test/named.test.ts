// Tests the checks of words outside their subject, of use cases with many dependencies, and of sizes.

import assert from 'node:assert/strict'
import test from 'node:test'
import { OWNED_WORDS, ownedProblems } from '../suite/named.ts'
import { largePicks } from '../suite/needs.ts'
import { lineProblems, longSql, shapeProblems } from '../suite/sizes.ts'

const [AUDIT, SEALER, CACHE] = OWNED_WORDS
const OWN = { file: 'service/src/features/audit/chain.ts', text: 'update audit_heads' }
const naming = (text: string, count: number) => [
  OWN,
  ...Array.from({ length: count }, (_, at) => ({ file: `service/src/features/webhooks/${at}.ts`, text })),
]

const NAMING = [
  'select * from audit_heads',
  'deps.audit.macs.make(realm, end)',
  "Pick<Deps, 'db' | 'headMacs'>",
  '// Locks the audit chain.',
  '/** The head of a chain. */',
  "import { type Db, lockChain } from '../../store/audit/chain.ts'",
  "import {\n  joinEntries,\n  type HeadWithMac,\n} from '../audit/index.ts'",
]

for (const text of NAMING)
  test(`three other files may use audit's words, and no fourth: ${JSON.stringify(text)}`, () => {
    assert.ok(AUDIT !== undefined)
    assert.deepEqual(ownedProblems(naming(text, 3), AUDIT), [])
    const [problem = ''] = ownedProblems(naming(text, 4), AUDIT)
    assert.match(problem, /^4 files name audit's chains, heads and MACs, at most 3 may: .*webhooks\/0\.ts/)
  })

test("certificate chains, a log and the head of a page are not audit's", () => {
  assert.ok(AUDIT !== undefined)
  for (const text of [
    'const [leaf] = certificate.chain',
    'await deps.audit.record(tx, realm, event)',
    "import { joinEntries, type LockedTrail } from '../../store/audit/chain.ts'",
    '<head><title>',
    'const head = openTreeHead(note, key)',
  ])
    assert.deepEqual(ownedProblems(naming(text, 9), AUDIT), [], text)
})

test('reports a table whose words no file uses', () => {
  assert.ok(AUDIT !== undefined)
  assert.match(ownedProblems([{ ...OWN, text: 'nothing' }], AUDIT)[0] ?? '', /looks for the wrong words/)
})

const MAPPER = { file: 'service/src/features/webhooks/store/secrets.ts', text: 'tx.sealer.seal(secret, context)' }
const sealing = (file: string, text: string) => {
  assert.ok(SEALER !== undefined)
  return ownedProblems([MAPPER, { file: `service/src/${file}`, text }], SEALER)
}

for (const text of [
  'deps.db.sealer.open(row.sealed, context)',
  "import { createSealer } from './seal.ts'",
  '// (see Sealer)',
])
  test(`only row mappers, and the code that passes the sealer to them, may name it: ${JSON.stringify(text)}`, () => {
    for (const file of [
      'features/webhooks/usecases/manage-webhook-secret.ts',
      'features/webhooks/domain/store.ts',
      'features/webhooks/http/store/routes.ts',
      'core/verifications/usecases/asking/commit-creations.ts',
      'platform/postgres/pool.ts',
      'deps.ts',
    ])
      assert.match(
        sealing(file, text)[0] ?? '',
        new RegExp(`1 files name the sealer, at most 0 may: service/src/${file}`),
      )
    for (const file of [
      'core/verifications/store/wallet-verifications.ts',
      'platform/seal/seal.ts',
      'platform/postgres/sealing/kept-keys.ts',
      'assemble.ts',
      'features/operator/usecases/rotate-master-key.ts',
    ])
      assert.deepEqual(sealing(file, text), [], file)
  })

test('derived keys and sealed values are not a sealer', () => {
  for (const text of ['deps.derivedKeys.derive(LABEL, 32)', 'openSecret(deps.db, realm, sealed)'])
    assert.deepEqual(sealing('features/oidc/usecases/redeem-code.ts', text), [])
})

test('only one file may create a cache', () => {
  assert.ok(CACHE !== undefined)
  const text = "import { LRUCache } from 'lru-cache'"
  const cache = { file: 'service/src/platform/cache.ts', text }
  assert.deepEqual(ownedProblems([cache], CACHE), [])
  const [problem = ''] = ownedProblems([cache, { file: 'service/src/platform/egress/dns-cache.ts', text }], CACHE)
  assert.match(problem, /^1 files name lru-cache, at most 0 may: service\/src\/platform\/egress\/dns-cache\.ts\./)
})

const pick = (count: number, by: string) =>
  `type Needs = Pick<\n  Deps,\n  ${Array.from({ length: count }, (_, i) => `'m${i}'`).join(by)}\n>`

test('at most eight members of Deps may be picked, on one line or on many', () => {
  for (const by of [' | ', '\n  | ']) {
    assert.deepEqual(largePicks('a.ts', pick(8, by)), [])
    assert.deepEqual(largePicks('a.ts', `\n${pick(9, by)}`), ['a.ts:2 picks 9 of Deps, more than 8'])
  }
})

const source = (file: string, text: string) => ({ file: `service/src/core/${file}`, text })

test('a folder may have exactly as many lines as its limit', () => {
  const bound = { 'service/src/core/': 3, 'service/src/': 4 }
  assert.deepEqual(lineProblems([source('a.ts', '1\n2\n'), source('b.ts', '3\n')], bound), [])
  assert.deepEqual(lineProblems([source('a.ts', '1\n2\n'), source('b.ts', '3\n4\n')], bound), [
    'service/src/core/ has 4 lines of code, at most 3 may be (tools/suite/sizes.ts)',
  ])
})

test('reports a folder that was moved', () => {
  assert.match(lineProblems([source('a.ts', '')], { 'service/src/heart/': 3 })[0] ?? '', /names a wrong folder/)
})

const statement = (lines: number) => `const A = 1\nconst B = \`with x as (\n${'  select 1\n'.repeat(lines - 2)})\``

test('SQL may have at most forty lines; other texts and comments may have more', () => {
  assert.deepEqual(longSql(source('a.ts', statement(40))), [])
  assert.deepEqual(longSql(source('a.ts', statement(41))), ['service/src/core/a.ts:2 SQL has 41 lines, more than 40'])
  assert.deepEqual(longSql(source('a.ts', statement(60).replace('with x as', 'A page with'))), [])
  assert.deepEqual(longSql(source('a.ts', `/* ${statement(60)} */`)), [])
})

test('core may have six types of a verification, exported or not', () => {
  const types = Array.from({ length: 6 }, (_, at) => `export interface N${at}Verification {}\n`).join('')
  assert.deepEqual(shapeProblems([source('a.ts', `${types}export interface VerificationError {}`)]), [])
  assert.match(
    shapeProblems([source('a.ts', types), source('b.ts', 'type ShownVerification = string')])[0] ?? '',
    /^core has 7 types of a verification, at most 6 may be: N0Verification, .*ShownVerification$/,
  )
  assert.deepEqual(shapeProblems([{ file: 'service/src/features/pages/a.ts', text: types + types }]), [])
})
