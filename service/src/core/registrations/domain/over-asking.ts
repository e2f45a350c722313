// Compares a query with what is registered, as wallets do: what is not registered, and what is never requested.

import type { ClaimsPath, CredentialQuery, DcqlQuery, RegisteredCredential } from '@vidimus/engine'
import { queriedTypes } from '@vidimus/engine/formats'
import {
  addPath,
  coversPath,
  type Effort,
  isCoveringAny,
  isSpent,
  newEffort,
  newPathTree,
  type PathTree,
} from './path-tree.ts'
import { type RegistrationProblem, registrationProblem } from './problem.ts'

export interface OverAsk {
  readonly credential: CredentialQuery
  /** null: the type itself is not registered. */
  readonly path: ClaimsPath | null
}

/** What is registered under one intended use. */
export interface RegisteredUse {
  readonly intendedUse: string
  readonly credentials: readonly RegisteredCredential[]
}

/**
 * Finds what the query asks for beyond what is registered. Every alternative of the query counts. A registered path
 * covers everything below it. Beyond the budget of steps, nothing is covered.
 */
export function findOverAsking(
  query: DcqlQuery,
  registered: readonly RegisteredCredential[],
  effort: Effort = newEffort(),
): readonly OverAsk[] {
  return query.credentials.flatMap((credential) =>
    uncovered(credential, registered, effort).map((path): OverAsk => ({ credential, path })),
  )
}

/** Like `findOverAsking`, as yes or no: stops at the first path that is not registered. */
export function coversQuery(
  query: DcqlQuery,
  registered: readonly RegisteredCredential[],
  effort: Effort = newEffort(),
): boolean {
  return query.credentials.every((credential) => {
    const fitting = ofType(credential, registered, effort)
    return fitting.length > 0 && pathsOf(credential).every((path) => isCovered(path, fitting, effort))
  })
}

/** Returns `[null]` if the type is not registered. */
function uncovered(
  credential: CredentialQuery,
  registered: readonly RegisteredCredential[],
  effort: Effort,
): readonly (ClaimsPath | null)[] {
  const fitting = ofType(credential, registered, effort)
  return fitting.length === 0 ? [null] : pathsOf(credential).filter((path) => !isCovered(path, fitting, effort))
}

const pathsOf = ({ claims = [] }: CredentialQuery) => claims.map(({ path }) => path)

function isCovered(path: ClaimsPath, fitting: readonly RegisteredCredential[], effort: Effort): boolean {
  return fitting.some((credential) => coversPath(indexOf(credential).paths, path, effort))
}

interface Indexed {
  readonly types: ReadonlySet<string>
  readonly paths: PathTree
}

/** Each index is built at first use. Registrations are cached, and every creation checks them. */
const indexes = new WeakMap<RegisteredCredential, Indexed>()

function indexOf(credential: RegisteredCredential): Indexed {
  const known = indexes.get(credential)
  if (known !== undefined) return known
  const index = { types: new Set(credential.types), paths: treeOf(credential.paths) }
  indexes.set(credential, index)
  return index
}

function treeOf(paths: readonly ClaimsPath[]): PathTree {
  const tree = newPathTree()
  for (const path of paths) addPath(tree, path)
  return tree
}

/** A query that names several types may be answered with any of them: all must be registered. */
function ofType(
  credential: CredentialQuery,
  registered: readonly RegisteredCredential[],
  effort: Effort,
): readonly RegisteredCredential[] {
  const types = queriedTypes(credential)
  return registered.filter((one) => {
    effort.left -= 1
    return one.format === credential.format && types.length > 0 && types.every((type) => hasType(one, type, effort))
  })
}

function hasType(registered: RegisteredCredential, type: string, effort: Effort): boolean {
  effort.left -= 1
  return !isSpent(effort) && indexOf(registered).types.has(type)
}

export interface UnderUse {
  readonly format: string
  readonly types: readonly string[]
  /** null: no claim of the credential is requested. */
  readonly path: ClaimsPath | null
}

/** Lists what is registered but in no query, as advice to register less. Leaves out what the budget did not reach. */
export function findUnderUse(
  queries: readonly DcqlQuery[],
  registered: readonly RegisteredCredential[],
  effort: Effort = newEffort(),
): readonly UnderUse[] {
  const requested = queries.flatMap(({ credentials }) => credentials)
  return registered.flatMap((one) => {
    const unused = isSpent(effort) ? [] : unusedPaths(requested, one, effort)
    return isSpent(effort) ? [] : unused.map((path): UnderUse => ({ format: one.format, types: one.types, path }))
  })
}

/** Returns `[null]` if no claim of the credential is requested. */
function unusedPaths(
  requested: readonly CredentialQuery[],
  registered: RegisteredCredential,
  effort: Effort,
): readonly (ClaimsPath | null)[] {
  const fitting = requested.filter((one) => {
    effort.left -= 1
    return one.format === registered.format && queriedTypes(one).some((type) => hasType(registered, type, effort))
  })
  if (fitting.length === 0) return [null]
  const wanted = newPathTree()
  for (const { claims = [] } of fitting) {
    for (const { path } of claims) {
      effort.left -= path.length
      if (isSpent(effort)) return []
      addPath(wanted, path)
    }
  }
  return registered.paths.filter((path) => !isCoveringAny(path, wanted, effort))
}

const SHOWN_MAX = 3
const TEXT_LENGTH_MAX = 600

/** Describes for the merchant each query and path beyond the registration, and which other intended use would cover it. */
export function describeOverAsking(
  intendedUse: string,
  found: readonly OverAsk[],
  others: readonly RegisteredUse[],
): RegistrationProblem {
  const effort = newEffort()
  const shown = found.slice(0, SHOWN_MAX).map((one) => {
    const covering = others.find(({ credentials }) => isCoveredBy(one, credentials, effort))
    return { ...one, covering: covering?.intendedUse ?? null }
  })
  const parts = shown.map(({ path, credential, covering }) => {
    const what =
      path === null ? `the credential of '${credential.id}'` : `${JSON.stringify(path)} of '${credential.id}'`
    return `${what} (${covering === null ? 'no intended use covers it' : `'${covering}' covers it`})`
  })
  const left = found.length - shown.length
  const more = left > 0 ? ` and ${left} more` : ''
  const message = `The intended use '${intendedUse}' does not register ${parts.join(', ')}${more}.`
  const places = shown.map((one) => [one.credential.id, ...(one.path ?? []).map((part) => part ?? '*')].join(' › '))
  const covering = new Set(shown.flatMap((one) => one.covering ?? []))
  return registrationProblem(
    'beyond',
    message.slice(0, TEXT_LENGTH_MAX),
    intendedUse,
    [...places, ...(left > 0 ? [`+ ${left}`] : [])].join(', ').slice(0, TEXT_LENGTH_MAX),
    [...covering].join(', '),
  )
}

/** Each other intended use that registers the path; none beyond the budget. */
export function usesCovering(one: OverAsk, others: readonly RegisteredUse[], effort: Effort): readonly string[] {
  const covering = others.filter(({ credentials }) => isCoveredBy(one, credentials, effort))
  return [...new Set(covering.map(({ intendedUse }) => intendedUse))]
}

function isCoveredBy(
  { credential, path }: OverAsk,
  registered: readonly RegisteredCredential[],
  effort: Effort,
): boolean {
  const fitting = ofType(credential, registered, effort)
  return path === null ? fitting.length > 0 : isCovered(path, fitting, effort)
}
