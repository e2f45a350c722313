// Does a query ask for more than is registered? As wallets judge it: every alternative counts, a registered path covers all that
// lies below it, values are nobody's business. And the other way round: what is registered and never asked for.

import type { ClaimsPath, CredentialQuery, DcqlQuery, RegisteredCredential } from '@vidimus/engine'

export interface OverAsk {
  readonly queryId: string
  /** null: the type itself is not registered. */
  readonly path: ClaimsPath | null
  readonly reason: 'type_not_registered' | 'path_not_registered'
  /** Other intended uses that register it. */
  readonly wouldBeCoveredBy: readonly string[]
}

/** What is registered under one intended use. */
export interface RegisteredUse {
  readonly intendedUse: string
  readonly credentials: readonly RegisteredCredential[]
}

export function findOverAsking(
  query: DcqlQuery,
  registered: readonly RegisteredCredential[],
  others: readonly RegisteredUse[] = [],
): readonly OverAsk[] {
  return query.credentials.flatMap((asked) =>
    uncovered(asked, registered).map((path): OverAsk => {
      const coveredBy = others.filter(({ credentials }) => isCovered(asked, path, credentials))
      return {
        queryId: asked.id,
        path,
        reason: path === null ? 'type_not_registered' : 'path_not_registered',
        wouldBeCoveredBy: [...new Set(coveredBy.map(({ intendedUse }) => intendedUse))],
      }
    }),
  )
}

/** null alone where the type is not registered. */
function uncovered(asked: CredentialQuery, registered: readonly RegisteredCredential[]): (ClaimsPath | null)[] {
  if (ofType(asked, registered).length === 0) return [null]
  return (asked.claims ?? []).map(({ path }) => path).filter((path) => !isCovered(asked, path, registered))
}

function isCovered(
  asked: CredentialQuery,
  path: ClaimsPath | null,
  registered: readonly RegisteredCredential[],
): boolean {
  const fitting = ofType(asked, registered)
  if (path === null) return fitting.length > 0
  return fitting.some(({ paths }) => paths.some((one) => covers(one, path)))
}

/** A query that names several types may be answered with each of them: all must be registered. */
function ofType(asked: CredentialQuery, registered: readonly RegisteredCredential[]): readonly RegisteredCredential[] {
  const types = typesOf(asked)
  return registered.filter(
    (one) => one.format === asked.format && types.length > 0 && types.every((type) => one.types.includes(type)),
  )
}

function typesOf(asked: CredentialQuery): readonly string[] {
  return asked.format === 'mso_mdoc' ? [asked.meta.doctype_value] : asked.meta.vct_values
}

/** A registered `null` stands for every element; a requested one is every element, which nothing but `null` covers. */
function covers(registered: ClaimsPath, asked: ClaimsPath): boolean {
  if (registered.length > asked.length) return false
  return registered.every((part, i) => part === asked[i] || (part === null && typeof asked[i] === 'number'))
}

export interface UnderUse {
  readonly format: string
  readonly types: readonly string[]
  /** null: nothing of it is ever asked for. */
  readonly path: ClaimsPath | null
}

/** What is registered and none of the queries asks for: advice to register less. */
export function findUnderUse(
  queries: readonly DcqlQuery[],
  registered: readonly RegisteredCredential[],
): readonly UnderUse[] {
  const asked = queries.flatMap(({ credentials }) => credentials)
  return registered.flatMap(({ format, types, paths }) => {
    const fitting = asked.filter((one) => one.format === format && typesOf(one).some((type) => types.includes(type)))
    if (fitting.length === 0) return [{ format, types, path: null }]
    const wanted = fitting.flatMap(({ claims = [] }) => claims.map(({ path }) => path))
    return paths
      .filter((path) => !wanted.some((one) => covers(path, one)))
      .map((path): UnderUse => ({ format, types, path }))
  })
}

const SHOWN_MAX = 3
const TEXT_LENGTH_MAX = 600

/** For the merchant: which query, which path, and which intended use would cover it. */
export function describeOverAsking(intendedUse: string, found: readonly OverAsk[]): string {
  const parts = found.slice(0, SHOWN_MAX).map(({ queryId, path, wouldBeCoveredBy }) => {
    const what = path === null ? `the credential of '${queryId}'` : `${JSON.stringify(path)} of '${queryId}'`
    const cover = wouldBeCoveredBy.length === 0 ? 'no intended use covers it' : `'${wouldBeCoveredBy[0]}' covers it`
    return `${what} (${cover})`
  })
  const more = found.length > SHOWN_MAX ? ` and ${found.length - SHOWN_MAX} more` : ''
  return `The intended use '${intendedUse}' does not register ${parts.join(', ')}${more}.`.slice(0, TEXT_LENGTH_MAX)
}
