import assert from 'node:assert/strict'
import { it } from 'node:test'
import { decisionProblems, folderProblems, lockfileProblems } from '../suite/checks.ts'

it('decision records are consecutive from 0001', () => {
  assert.deepEqual(decisionProblems(['0001-one.md', '0002-two.md']), [])
  assert.equal(decisionProblems(['0001-one.md', '0003-three.md']).length, 1)
  assert.equal(decisionProblems(['0001-one.md', '0001-again.md']).length, 1)
  assert.equal(decisionProblems(['0002-two.md']).length, 1)
  assert.equal(decisionProblems(['notes.md']).length, 1)
})

it('the lock file names no host and hashes every package', () => {
  const lock = (entry: object) => JSON.stringify({ packages: { '': {}, engine: {}, 'node_modules/a': entry } })
  assert.deepEqual(lockfileProblems(lock({ version: '1.0.0', integrity: 'sha512-AAAA' })), [])
  assert.deepEqual(lockfileProblems(lock({ resolved: 'engine', link: true })), [])
  assert.equal(
    lockfileProblems(lock({ integrity: 'sha512-AAAA', resolved: 'https://registry.example/a.tgz' })).length,
    1,
  )
  assert.equal(lockfileProblems(lock({ version: '1.0.0' })).length, 1)
})

it('a folder holds at most 25 files of code', () => {
  const files = (count: number) => Array.from({ length: count }, (_, at) => `service/src/cli/command-${at}.ts`)
  assert.deepEqual(folderProblems([...files(25), 'service/src/cli/trust/anchor.ts']), [])
  assert.deepEqual(folderProblems(files(26)), [
    'service/src/cli holds 26 files, more than 25: give some a folder of their own',
  ])
})
