// Parses Prometheus text, and the tables of docs/metrics.md.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'

/** Returns the samples by name, with labels in alphabetical order: `name{a="1",b="2"}`. */
export function samplesOf(text: string): Map<string, number> {
  const samples = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === '') continue
    const sorted = [...labels.matchAll(/\w+="[^"]*"/g)].map(([pair]) => pair).sort()
    samples.set(sorted.length === 0 ? name : `${name}{${sorted.join(',')}}`, Number(value))
  }
  return samples
}

export function typesOf(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]))
}

export interface Documented {
  readonly type: string
  readonly labels: readonly string[]
}

/** Returns the rows `name | type | labels | …` of the page. */
export async function documentedMetrics(): Promise<Map<string, Documented>> {
  const page = await readFile(new URL('../../../docs/metrics.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+)` \| (counter|gauge|histogram) \|([^|]*)\|/gm)]
  assert.ok(rows.length > 20)
  return new Map(
    rows.map(([, name = '', type = '', labels = '']) => [
      name,
      { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label).sort() },
    ]),
  )
}
