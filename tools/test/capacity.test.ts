// Tests that docs/capacity.md uses the figures of the newest run of `npm run bench`.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'

const ROOT = join(import.meta.dirname, '..', '..')
const results = readFileSync(join(ROOT, 'bench', 'RESULTS.md'), 'utf8')
const guide = readFileSync(join(ROOT, 'docs', 'capacity.md'), 'utf8')

/** Reads the figures of the row with that name in the results. */
function figures(name: string, pattern: RegExp): string[] {
  const row = results.split('\n').find((line) => line.includes(`| ${name}`))
  const [, ...found] = pattern.exec(row ?? '') ?? []
  assert.ok(found.length > 0, `bench/RESULTS.md: ${name}`)
  return found.map((figure) => Number(figure).toFixed(1))
}

it('docs/capacity.md has the cost of one verification from the newest results (otherwise: correct it and its computed figures)', () => {
  const split = /\| ([\d.]+) ms: service ([\d.]+), store ([\d.]+) \|/
  const [all = '', service = '', store = ''] = figures('CPU time of service and store, 64 at once, fresh store', split)
  const [fewer = ''] = figures('CPU time of service and store, 16 at once, fresh store', split)
  // A part may have been run again later.
  const again = /^- part flow.*: run again on (\d{4}-\d{2}-\d{2})/m.exec(results)?.[1]
  const date = again ?? /^- date: (\S+)$/m.exec(results)?.[1] ?? ''
  assert.ok(guide.includes(`| ${all} ms with 64 at once, ${fewer} ms with 16 |`), `${all} and ${fewer} ms`)
  assert.ok(guide.includes(`fresh store, ${date} |`), date)
  assert.ok(guide.includes(`| … of it the service | ${service} ms `), service)
  assert.ok(guide.includes(`| … of it the store | ${store} ms `), store)
  const perSecond = Math.round(700 / Number(service))
  assert.ok(guide.includes(`0.7 / ${service} ms = **${perSecond} verifications a second**`), String(perSecond))
})
