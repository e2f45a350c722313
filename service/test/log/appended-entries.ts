// Appends entries to an export of an audit chain. Anyone can do that, because no key signs entries.

import { entryHash } from '../../src/features/audit/domain/entry.ts'
import { canonicalJson } from '../../src/platform/canonical-json.ts'

export function appendEntries(lines: readonly string[], entries: readonly object[]): string[] {
  let last = lines.map((line) => JSON.parse(line)).findLast(({ entry }) => entry !== undefined)
  return [
    ...lines,
    ...entries.map((members) => {
      const before = JSON.parse(last.entry)
      const seq = before.seq + 1
      const at = `2900-01-01T00:00:00.${String(seq).padStart(6, '0')}Z`
      const content = { ...before, details: null, ...members, seq, at, prev: last.hash }
      const entry = canonicalJson(content)
      last = { seq, entry, hash: entryHash(Buffer.from(entry)).toString('hex') }
      return JSON.stringify(last)
    }),
  ]
}
