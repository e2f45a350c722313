// Writes docs/errors.md from the service's own table of refusals. A test compares the file with it.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { INTERNAL_ERROR, PROBLEMS } from '../service/src/platform/http/problems.ts'
import type { ErrorCode } from '../wire/errors.ts'
import { FAILURES } from './errors-page/failures.ts'

export const ERRORS_PAGE = join(import.meta.dirname, '..', 'docs', 'errors.md')

interface Row {
  readonly status: number
  readonly message: string
  readonly advice?: string
}

/** A code of the public routes without advice does not compile. */
const ANSWERS = { ...PROBLEMS, [INTERNAL_ERROR.code]: INTERNAL_ERROR } satisfies Readonly<
  Record<ErrorCode, Required<Row>>
>

export function renderErrorsPage(): string {
  const problems: [string, Row][] = Object.entries(ANSWERS)
  const rows = problems.flatMap(([code, { status, message, advice }]) =>
    advice === undefined ? [] : [`| ${status} | \`${code}\` | **${message}** ${advice} |`],
  )
  const staff = problems.flatMap(([code, { status, message, advice }]) =>
    advice === undefined ? [`| ${status} | \`${code}\` | ${message} |`] : [],
  )
  const failures = Object.entries(FAILURES).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  return `# Errors

<!-- Written by "node tools/generate-errors-page.ts" from the code's own table. -->

Every error has this shape:

\`\`\`json
{
  "error": {
    "code": "invalid_request",
    "message": "The request is not valid."
  }
}
\`\`\`

- Use \`code\` in your program: it is stable. \`message\` is for people and may change.
- The header \`Link\` (\`rel="help"\`) leads to the page of the code, \`/docs/errors/<code>\`.
- \`Retry-After\` is in seconds.
- When you ask the operator for help, give the header \`Request-Id\`.
- The client libraries raise all of these as \`VidimusError\`.

## API errors

| HTTP | code | message and what to do |
|---|---|---|
${rows.join('\n')}

Some cases get the same answer on purpose, so that trying reveals nothing: a revoked key and an unknown one, another merchant's verification and none
at all, a wrong response code and a used one, a wrong pairing code and a used one.

## In the dashboard only

| HTTP | code | message |
|---|---|---|
${staff.join('\n')}

## Why a verification failed

A verification with the status \`failed\` has its own \`error\`. It says what is wrong with the wallet's answer; your request was fine.

| code | meaning |
|---|---|
${failures.join('\n')}

The code is that of the first check that failed. \`credentials[].findings\` lists all checks that did not pass.
`
}

if (import.meta.main) await writeFile(ERRORS_PAGE, renderErrorsPage())
