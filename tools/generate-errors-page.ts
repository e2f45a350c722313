// Writes docs/errors.md from the service's own table of refusals. A test holds the file against it.

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
    advice === undefined ? [] : [`| ${status} | \`${code}\` | ${message} | ${advice} |`],
  )
  const staff = problems.flatMap(([code, { status, message, advice }]) =>
    advice === undefined ? [`| ${status} | \`${code}\` | ${message} |`] : [],
  )
  const failures = Object.entries(FAILURES).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  return `# Errors

<!-- Written by "node tools/generate-errors-page.ts" from the code's own table. -->

Every answer that is not a success has one shape: \`{ "error": { "code": "…", "message": "…" } }\`. \`code\` is stable, decide by it; \`message\` is for people and may change.
The header \`Link\` (\`rel="help"\`) leads to the page of the code in the docs of the service, \`/docs/errors/<code>\`.
Quote the header \`Request-Id\` when you ask the operator. \`Retry-After\`, where it is set, is in seconds. The SDK raises all of these as \`VidimusError\`.

## Refusals

| HTTP | code | message | what to do |
|---|---|---|---|
${rows.join('\n')}

Some differences are kept from you on purpose: a revoked key and an unknown one, another merchant's verification and none at all, a wrong response code and a spent
one, a pairing code somebody else was quicker with and a wrong one.

## In the dashboard only

| HTTP | code | message |
|---|---|---|
${staff.join('\n')}

## Why a verification failed

A verification that ends as \`failed\` has an \`error\` of its own. These are findings about what the wallet sent, not errors of a request.

| code | meaning |
|---|---|
${failures.join('\n')}

The first check that failed, in the order of the argument, gives the code; \`credentials[].findings\` has everything that did not pass.
`
}

if (import.meta.main) await writeFile(ERRORS_PAGE, renderErrorsPage())
