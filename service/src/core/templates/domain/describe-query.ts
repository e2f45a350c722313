// Describes which answers a query allows, as the structure that pages put into words (`labels/say-question.ts`).

import type { CredentialQuery, DcqlQuery } from '@vidimus/engine'
import { queriedFormatOf, queriedTypes } from '@vidimus/engine/formats'
import type { Question } from '../../../../../wire/templates.ts'
import { splitClaimSets } from './split-claim-sets.ts'

export type DescribedQuery = Pick<Question, 'credentials' | 'sets'>
type DescribedCredential = DescribedQuery['credentials'][number]
type DescribedClaim = DescribedCredential['claims'][number]

/** A credential query in neutral terms, as both the engine and the test wallet can provide it. */
export interface QueryCredential {
  readonly id: string
  readonly format: string
  readonly types: readonly string[]
  readonly multiple: boolean
  /** Whether the query accepts only named issuers. */
  readonly someIssuers: boolean
  readonly claims: readonly {
    readonly id: string | null
    readonly path: readonly (string | number | null)[]
    /** Names of the path's parts, for labels. */
    readonly names: readonly string[]
    readonly values: readonly (string | number | boolean)[] | null
  }[]
  readonly claimSets: readonly (readonly string[])[] | null
}

interface QuerySet {
  readonly options: readonly (readonly string[])[]
  readonly required: boolean
}

export function describeQuery(query: DcqlQuery): DescribedQuery {
  const sets = query.credential_sets?.map(({ options, required = true }) => ({ options, required })) ?? null
  return describeCredentials(query.credentials.map(readCredential), sets)
}

export function describeCredentials(
  credentials: readonly QueryCredential[],
  sets: readonly QuerySet[] | null,
): DescribedQuery {
  const all = [{ options: [credentials.map(({ id }) => id)], required: true }]
  return { credentials: credentials.map(describeCredential), sets: mergeRequired(sets ?? all) }
}

function readCredential(query: CredentialQuery): QueryCredential {
  const { claimNames } = queriedFormatOf(query.format)
  return {
    id: query.id,
    format: query.format,
    types: queriedTypes(query),
    multiple: query.multiple === true,
    someIssuers: query.trusted_authorities !== undefined,
    claims: (query.claims ?? []).map(({ id = null, path, values = null }) => ({
      id,
      path,
      names: claimNames(path),
      values,
    })),
    claimSets: query.claim_sets ?? null,
  }
}

/** Sets with a single option are all required. They are merged into one set, which comes first. */
function mergeRequired(sets: readonly QuerySet[]): DescribedQuery['sets'] {
  const isNeeded = ({ required, options }: QuerySet) => required && options.length === 1
  const needed = [...new Set(sets.filter(isNeeded).flatMap(({ options }) => options.flat()))]
  const others = sets.filter((set) => !isNeeded(set))
  return needed.length === 0 ? others : [{ required: true, options: [needed] }, ...others]
}

function describeCredential(credential: QueryCredential): DescribedCredential {
  const { id, format, types, multiple, someIssuers, claims, claimSets } = credential
  const positions = claims.map((_, at) => at)
  const place = new Map(claims.map((claim, at) => [claim.id, at]))
  const sets = claimSets?.map((set) => set.flatMap((claimId) => place.get(claimId) ?? []).sort(inOrder)) ?? [positions]
  const { always, choices } = splitClaimSets(sets)
  const ordered = (set: readonly number[]) => set.toSorted(inOrder)
  return {
    id,
    format,
    types,
    multiple,
    some_issuers: someIssuers,
    claims: claims.map(describeClaim),
    always: ordered(always),
    choices: choices.map((options) => options.map(ordered)),
  }
}

const inOrder = (one: number, other: number) => one - other

function describeClaim({ path, names, values }: QueryCredential['claims'][number]): DescribedClaim {
  const entry = path.find((part) => typeof part === 'number')
  return { names, entry: typeof entry === 'number' ? entry + 1 : null, values }
}
