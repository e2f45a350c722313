// Searches the store for a word: in rows as in a dump, and in decrypted values.

import type { Deps } from '../../src/deps.ts'
import { SEALED_COLUMNS } from '../../src/features/operator/domain/sealed-columns.ts'
import type { SealedRowFacts } from '../../src/platform/seal/sealed-column.ts'

/** Returns the possible encodings of a word: itself, in hex, and in base64 at each of the three offsets. */
function spellingsOf(word: string): string[] {
  const at = (skip: number) =>
    Buffer.from(`${'x'.repeat(skip)}${word}`)
      .toString('base64url')
      .slice(skip === 0 ? 0 : 4, -4)
  return [word, Buffer.from(word).toString('hex'), at(0), at(1), at(2)]
}
export const isIn = (word: string, bytes: Buffer | string) =>
  spellingsOf(word).some((spelling) => bytes.includes(spelling))

/** Tables whose rows contain the word, as a dump would. */
export async function dumpedWith(deps: Pick<Deps, 'db'>, word: string): Promise<string[]> {
  const tables = await deps.db.query<{ name: string }>({
    name: 'test_canary_tables',
    text: `select tablename as name from pg_tables where schemaname = 'public'`,
  })
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await deps.db.query<{ row: string }>({
      name: `test_canary_${name}`,
      text: `select t::text as row from ${name} t`,
    })
    if (rows.some(({ row }) => isIn(word, row))) found.push(name)
  }
  return found
}

/** Sealed columns that contain the word, decrypted with the master key. */
export async function sealedWith(deps: Pick<Deps, 'db'>, word: string): Promise<string[]> {
  const found: string[] = []
  for (const { table, column, key, contextColumns, prefixBytes, sealContext } of SEALED_COLUMNS) {
    const names = [...new Set([...key, ...contextColumns])]
    const rows = await deps.db.query<SealedRowFacts & { value: Buffer }>({
      name: `test_opened_${table}_${column}`,
      text: `select ${names.join(', ')}, ${column} as value from ${table} where ${column} is not null`,
    })
    for (const { value, ...facts } of rows as unknown as { value: Buffer }[]) {
      const context = sealContext(facts as unknown as SealedRowFacts, value.subarray(0, prefixBytes))
      if (isIn(word, deps.db.sealer.open(value.subarray(prefixBytes), context))) found.push(`${table}.${column}`)
    }
  }
  return [...new Set(found)]
}
