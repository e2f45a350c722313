// Writes sdk/typescript/src/types.gen.ts from the OpenAPI document of the service. A test holds the file against the document.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testService } from '../service/test/harness/service.ts'
import { renderTypes } from './sdk-types/render-types.ts'

export const TYPES_FILE = join(import.meta.dirname, '..', 'sdk', 'typescript', 'src', 'types.gen.ts')

if (import.meta.main) {
  const ends: (() => Promise<void>)[] = []
  try {
    const service = await testService({}, {}, { ends: { after: (work) => void ends.push(work) } })
    await writeFile(TYPES_FILE, renderTypes((await service.call('GET', '/openapi.json')).json))
  } finally {
    for (const end of ends.reverse()) await end()
  }
}
