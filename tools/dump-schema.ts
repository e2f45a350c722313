// Writes service/src/platform/postgres/schema.sql, the result of all migrations. A test compares both.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testDatabase } from '../service/test/harness/servers/database.ts'
import { describeSchema } from './schema/describe-schema.ts'

export const SCHEMA_FILE = join(import.meta.dirname, '..', 'service', 'src', 'platform', 'postgres', 'schema.sql')
export const SCHEMA_HEADER =
  '-- Written by "node tools/dump-schema.ts" from the migrations beside it. Read it; change the migrations.\n\n'

if (import.meta.main) {
  const ends: (() => Promise<void>)[] = []
  try {
    const { db } = await testDatabase({ after: (work) => void ends.push(work) })
    await writeFile(SCHEMA_FILE, SCHEMA_HEADER + (await describeSchema(db)))
  } finally {
    for (const end of ends) await end()
  }
}
