import assert from 'node:assert/strict'
import { it } from 'node:test'
import { renderResults } from '../src/results.ts'
import { withSection } from '../src/sections/sections.ts'

it('marks a figure below its minimum, a figure that cannot be compared, and a row that other load distorted', () => {
  const row = { part: 'http', what: 'read', figure: '10/s', comparison: '20/s', distorted: false }
  const text = renderResults(
    [
      { ...row, ratio: 0.5, least: 0.4 },
      { ...row, ratio: 0.5, least: 0.6 },
      { ...row, ratio: Number.NaN, least: 0.1 },
      { ...row, ratio: 2, least: null },
      { ...row, ratio: 2, least: 1, distorted: true },
    ],
    { seconds: 1, loadBefore: 0 },
  )
  const wanted = text
    .split('\n')
    .filter((line) => line.startsWith('| http'))
    .map((line) => line.split('|').at(-2)?.trim())
  assert.deepEqual(wanted, ['≥ 0.40 ✓', '≥ 0.60 ✗', '≥ 0.10 ✗', '', '≥ 1.00 ✓, distorted: the machine was busy'])
  assert.match(text, /Node\.js: \d+/)
  assert.match(text, /PostgreSQL: \d+/)
})

it('says that the machine was busy if a part is distorted', () => {
  const row = { part: 'http', what: 'read', figure: '10/s', comparison: '20/s', ratio: 0.5, least: null }
  const run = { seconds: 1, loadBefore: 1_000 }
  assert.match(renderResults([{ ...row, distorted: true }], run), /busy with other work/)
  assert.doesNotMatch(renderResults([{ ...row, distorted: false }], run), /busy/)
})

it('renders hostile responses in their own table, and marks a response that costs too much', () => {
  const row = { part: 'hostile', figure: '1 ms', comparison: '2 kB, malformed', least: 1, distorted: false }
  const text = renderResults(
    [
      { ...row, what: 'cheap', ratio: 15 },
      { ...row, what: 'expensive', ratio: 0.5 },
    ],
    { seconds: 1, loadBefore: 0 },
  )
  const [, section = ''] = text.split('## Hostile responses')
  assert.match(section, /\| cheap \|.*✓/)
  assert.match(section, /\| expensive \|.*✗/)
  assert.doesNotMatch(renderResults([], { seconds: 1, loadBefore: 0 }), /Hostile/)
})

it('a new section replaces the section with its heading and leaves other sections', () => {
  const results = '# Results\n\ntable\n\n## One\n\nold\n\n## Two\n\nkept\n'
  assert.equal(withSection(results, '## One\n\nnew\n'), '# Results\n\ntable\n\n## One\n\nnew\n\n## Two\n\nkept\n')
  assert.equal(withSection(results, '## Two\n\nnew\n'), '# Results\n\ntable\n\n## One\n\nold\n\n## Two\n\nnew\n')
  assert.equal(withSection(results, '## Three\n\nnew\n'), `${results}\n## Three\n\nnew\n`)
})
