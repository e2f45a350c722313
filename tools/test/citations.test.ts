// Tests that citations of missing parts are found, and similar texts are not.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { citationProblems, partsOf } from '../citations.ts'

const ROOT = dirname(dirname(import.meta.dirname))

const REPOSITORY = {
  'docs/interface.md':
    '# The interface\n\n## 5. Authentication\n\n**5.4 Expiry.** A key ends.\n\n### 2.1 Verification\n',
  'docs/protocol/cases.md':
    '# Cases\n\n| case | what |\n|---|---|\n| N001 | one |\n| N003 | three |\n| EGR-01 | out |\n',
  'docs/decisions/0001-first.md': '# 1. First\n',
}

/** The problems of a file in a small repository. */
function problemsOf(file: string, text: string): string[] {
  return citationProblems(new Map([...Object.entries(REPOSITORY), [file, text]]))
}

describe('a broken citation is reported with its line', () => {
  for (const [text, problem] of [
    ['// Spec 5.5: nothing.', 'cites part 5.5: docs/interface.md has none'],
    ['/** Specification part 7. */', 'cites part 7: docs/interface.md has none'],
    ['// (spec 2.1, 2.2 and 5.4)', 'cites part 2.2: docs/interface.md has none'],
    ['// the interface specification\n// 2.9 says so', 'cites part 2.9: docs/interface.md has none'],
    ["test('6.3: signs', run)", 'cites part 6.3: docs/interface.md has none'],
    ['const id = `N002`', 'cites N002: no table in docs/protocol/ defines it'],
    ["spoiled('N001', 'N404 too')", 'cites N404: no table in docs/protocol/ defines it'],
    ['// the details (N001-N009)', 'cites N009: no table in docs/protocol/ defines it'],
    ["test('D12: denies', run)", 'cites D12: no table in docs/protocol/ defines it'],
    ["test('denies (EGR-07)', run)", 'cites EGR-07: no table in docs/protocol/ defines it'],
    ['// see decision 2', 'cites decision 2: there is no such record'],
    ['// as protocol.md 1.1 says', 'cites protocol.md: there is no such file'],
    ['run() // see docs/interface.md#9-versions', 'cites docs/interface.md#9-versions: it has no such heading'],
  ] as const) {
    it(text, () => {
      const [found, ...more] = problemsOf('engine/a.test.ts', text)
      assert.match(found ?? 'none', /^engine\/a\.test\.ts:\d /)
      assert.equal(found?.replace(/^\S+ /, ''), problem)
      assert.deepEqual(more, [])
    })
  }
})

describe('a valid citation is not a problem', () => {
  for (const text of [
    '// Spec 5.4, spec 2.1; Specification part 5. N001, EGR-01 and (N001-N003)',
    '/** See docs/interface.md#5-authentication, interface.md and decision 1. */',
    "test('5.4: an end', run)",
  ]) {
    it(text, () => assert.deepEqual(problemsOf('engine/a.test.ts', text), []))
  }
})

describe('a text that only looks like a citation does not count', () => {
  for (const text of [
    'const N002 = D12 + T00', // code
    "const time = [day, 'T23:59:59Z'].join('')", // a time of day
    "const portrait = '/9j+D12/E11=='", // base64
    "const bytes = '00D12F', escaped = '%E20'", // hex
    '// OpenAPI specification 3.1, the ISO/IEC 18013-5 specification 9.9', // '// OpenAPI specification 3.1, the ISO/IEC 18013-5 specification 9.9', // other standards
    "write('notes.md')", // data
    "test('1.5 seconds pass', run)", // a number, outside of test/spec/
    "const address = 'https://example.com/protocol.md'",
  ]) {
    it(text, () => assert.deepEqual(problemsOf('engine/a.test.ts', text), []))
  }
})

it('in test/spec/ a title must begin with the number of its part', () => {
  assert.equal(problemsOf('service/test/spec/a.test.ts', "test('6.6 six attempts', run)").length, 1)
  assert.deepEqual(problemsOf('service/test/spec/a.test.ts', "test('5.4 an end', run)"), [])
})

it('checks guides, too, except for their code blocks', () => {
  assert.deepEqual(problemsOf('docs/guide.md', 'N001\n\n```\nN002\n```\n\nN003\n'), [])
  assert.equal(problemsOf('docs/guide.md', '```\n```\nN002\n')[0]?.startsWith('docs/guide.md:3 cites N002'), true)
})

it('refuses a case that is defined twice', () => {
  assert.deepEqual(problemsOf('docs/protocol/more.md', '| N003 | again |\n'), [
    'docs/protocol/more.md defines N003, which is defined already',
  ])
})

it('docs/interface.md has every part of the specification', () => {
  const rules = { 1: 8, 2: 9, 3: 2, 4: 2, 5: 9, 6: 7, 7: 0, 8: 0, 9: 0 }
  const expected = Object.entries(rules).flatMap(([part, count]) => [
    part,
    ...Array.from({ length: count }, (_, i) => `${part}.${i + 1}`),
  ])
  const parts = partsOf(readFileSync(join(ROOT, 'docs', 'interface.md'), 'utf8'))
  assert.deepEqual([...parts].sort(), expected.sort())
})
