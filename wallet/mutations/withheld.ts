// Lists attacks of a holder with a genuine credential and honest lists (V021-V025).

import type { Json, JsonObject } from '../src/encoding/json.ts'
import { STATUS_INDEX, statusListUri } from '../src/issuer.ts'
import type { Disclosure } from '../src/sdjwt.ts'
import type { Mutation } from './mutation.ts'
import { presentSdJwt, type SdJwtHooks, sdJwtTrial } from './sd-jwt/sd-jwt-trial.ts'
import type { Trial, World } from './world.ts'
import { NOW, SD_JWT_QUERY, trialOf } from './world.ts'

const asking = (...claims: readonly Json[]): JsonObject => ({ credentials: [{ ...SD_JWT_QUERY, claims }] })

/** Discloses only the claims with these paths. */
const only = (...paths: readonly string[]): SdJwtHooks => ({
  disclosures: (_: readonly string[], all: readonly Disclosure[]) =>
    all.filter(({ path }) => paths.includes(path.join('/'))).map(({ text }) => text),
})

const disclosing = (id: string, title: string, paths: readonly string[], query: JsonObject): Mutation => ({
  id,
  title,
  format: 'dc+sd-jwt',
  expectedCheck: 'query_answered',
  make: (world) => trialOf(world, { pid: [presentSdJwt(world, only(...paths))] }, query),
})

const passing = (mutation: Mutation, claims: JsonObject): Mutation => ({
  ...mutation,
  expectedCheck: 'accepted',
  positive: true,
  claims: [claims],
})

const DISCLOSED: readonly Mutation[] = [
  disclosing('V021', 'an address without a disclosed part', ['address'], asking({ path: ['address'] })),
  disclosing('V021', 'a list without a disclosed element', ['nationalities'], asking({ path: ['nationalities'] })),
  disclosing(
    'V022',
    'only the second element where the first was asked for',
    ['nationalities', 'nationalities/1'],
    asking({ path: ['nationalities', 0] }),
  ),
  passing(
    disclosing(
      'V022',
      'only the second element where the second was asked for',
      ['nationalities', 'nationalities/1'],
      asking({ path: ['nationalities', 1] }),
    ),
    { nationalities: ['FR'] },
  ),
]

const MULTIPLE: JsonObject = { credentials: [{ ...SD_JWT_QUERY, multiple: true }] }

/** Two presentations for a query that accepts several. */
const twice = (title: string, again: (world: World, first: string) => string): Mutation => ({
  id: 'V023',
  title,
  format: 'vp_token',
  expectedCheck: 'query_not_satisfied',
  make: (world) => {
    const first = presentSdJwt(world)
    return trialOf(world, { pid: [first, again(world, first)] }, MULTIPLE)
  },
})

/** Presents the credential of this presentation once more, with another key binding. */
function rebound(world: World, presented: string): string {
  const [issuerJwt = '', ...rest] = presented.split('~')
  return presentSdJwt(world, { issuerJwt: () => issuerJwt, disclosures: () => rest.slice(0, -1) })
}

const REPEATED: readonly Mutation[] = [
  twice('one credential presented twice', rebound),
  {
    ...twice('two credentials of one person', (world) =>
      presentSdJwt(world, { template: (claims) => ({ ...claims, iat: NOW - 3600 }) }),
    ),
    expectedCheck: 'accepted',
    positive: true,
  },
]

/** The trial with expired lists. */
function aged(trial: Trial): Trial {
  const status = [...trial.status].map(
    ([uri, answer]) => [uri, answer.outcome === 'fetched' ? { ...answer, stale: true } : answer] as const,
  )
  return { ...trial, status: new Map(status) }
}

const AGED: readonly Mutation[] = [
  {
    id: 'V024',
    title: 'an expired list where a status is required',
    format: 'dc+sd-jwt',
    expectedCheck: 'not_revoked',
    make: (world) => sdJwtTrial(world, { trial: aged }),
  },
  {
    id: 'V024',
    title: 'an expired list where a status is preferred',
    format: 'dc+sd-jwt',
    expectedCheck: 'accepted',
    positive: true,
    warnings: ['not_revoked'],
    make: (world) => sdJwtTrial(world, { trial: (trial) => ({ ...aged(trial), statusPolicy: 'prefer' }) }),
  },
  {
    id: 'V024',
    title: 'a credential revoked in an expired list where a status is preferred',
    format: 'dc+sd-jwt',
    expectedCheck: 'not_revoked',
    make: (world) =>
      sdJwtTrial(world, {
        template: (claims) => ({
          ...claims,
          status: { status_list: { idx: STATUS_INDEX.revoked, uri: statusListUri(world.issuer.base, 'jwt') } },
        }),
        trial: (trial) => ({ ...aged(trial), statusPolicy: 'prefer' }),
      }),
  },
]

const NUMBERS: readonly Mutation[] = [
  {
    id: 'V025',
    title: 'an integer that cannot be read exactly',
    format: 'dc+sd-jwt',
    expectedCheck: 'well_formed',
    make: (world) => sdJwtTrial(world, { payload: (payload) => ({ ...payload, number: 2 ** 53 + 2 }) }),
  },
]

export const WITHHELD_MUTATIONS: readonly Mutation[] = [...DISCLOSED, ...REPEATED, ...AGED, ...NUMBERS]
