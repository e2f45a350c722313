// Writes dashboard/src/answers.ts from the schemas of the dashboard's routes. A test holds the file against them.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dashboardDocument } from '../service/src/features/docs/openapi/document.ts'
import { routeOf } from '../service/src/features/staff/http/permissions.ts'
import { type TestService, testService } from '../service/test/harness/service.ts'
import { type Document, renderAnswers } from './sdk-types/render-types.ts'

export const ANSWERS_FILE = join(import.meta.dirname, '..', 'dashboard', 'src', 'answers.ts')

export function answersOf({ app }: Pick<TestService, 'app'>): string {
  const document: Document = JSON.parse(JSON.stringify(dashboardDocument(app.knownRoutes)))
  return renderAnswers(document, routeOf)
}

if (import.meta.main) {
  const ends: (() => Promise<void>)[] = []
  try {
    const service = await testService({}, {}, { ends: { after: (work) => void ends.push(work) } })
    await writeFile(ANSWERS_FILE, answersOf(service))
  } finally {
    for (const end of ends.reverse()) await end()
  }
}
