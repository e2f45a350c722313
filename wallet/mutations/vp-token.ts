// Lists changed answers to the query: shapes of the vp_token and credentials that do not match the query (N046-N063).

import type { Json, JsonObject } from '../src/encoding/json.ts'
import { TYPE } from '../src/issuer.ts'
import { PERSON } from '../src/person.ts'
import { sd } from '../src/sdjwt.ts'
import { presentMdoc } from './mdoc/mdoc-trial.ts'
import type { Mutation } from './mutation.ts'
import { goodClaims, presentSdJwt } from './sd-jwt/sd-jwt-trial.ts'
import type { Trial, World } from './world.ts'
import { MDL_NAMESPACE, MDL_QUERY, SD_JWT_QUERY, trialOf } from './world.ts'

const PID_ONLY: JsonObject = { credentials: [SD_JWT_QUERY] }
const BOTH: JsonObject = { credentials: [SD_JWT_QUERY, MDL_QUERY] }

/** The vp_token is refused as a whole, before any credential is checked. */
const refused = (id: string, title: string, token: (presented: string) => Json): Mutation => ({
  id,
  title,
  format: 'vp_token',
  expectedCheck: 'query_not_satisfied',
  make: (world) => trialOf(world, token(presentSdJwt(world)), PID_ONLY),
})

/** A good PID against another query. */
const queried = (id: string, title: string, expectedCheck: string, query: JsonObject): Mutation => ({
  id,
  title,
  format: 'dc+sd-jwt',
  expectedCheck,
  make: (world) => trialOf(world, { pid: [presentSdJwt(world)] }, query),
})

function asking(changes: JsonObject): JsonObject {
  return { credentials: [{ ...SD_JWT_QUERY, ...changes }] }
}

const SHAPES: readonly Mutation[] = [
  refused('N046', 'an array instead of an object', (presented) => [{ pid: [presented] }]),
  refused('N046', 'a string instead of an object', (presented) => presented),
  refused('N046', 'null instead of an object', () => null),
  refused('N046', 'an empty object', () => ({})),
  refused('N047', 'an id that was not asked for', (presented) => ({ other: [presented] })),
  refused('N047', 'an id that was not asked for beside the requested id', (presented) => ({
    pid: [presented],
    other: [presented],
  })),
  refused('N048', 'a bare string instead of an array', (presented) => ({ pid: presented })),
  refused('N049', 'an empty array', () => ({ pid: [] })),
  refused('N050', 'two presentations where one was asked for', (presented) => ({ pid: [presented, presented] })),
  refused('N048', 'an object as presentation', () => ({ pid: [{}] })),
  refused(
    'N060',
    '__proto__ as a query id',
    (presented) => JSON.parse(`{"__proto__":${JSON.stringify([presented])}}`) as Json,
  ),
  refused('N060', 'constructor as a query id', (presented) => ({ constructor: [presented] })),
]

const SETS: readonly Mutation[] = [
  queried('N051', 'one of two required credentials is missing', 'query_not_satisfied', BOTH),
  queried('N052', 'one half of an option is missing', 'query_not_satisfied', {
    ...BOTH,
    credential_sets: [{ options: [['pid', 'mdl']] }],
  }),
  queried('N052', 'one of two required sets is unanswered', 'query_not_satisfied', {
    ...BOTH,
    credential_sets: [{ options: [['pid']] }, { options: [['mdl']] }],
  }),
  {
    ...queried('N053', 'an optional set may stay unanswered', 'accepted', {
      ...BOTH,
      credential_sets: [{ options: [['pid']] }, { options: [['mdl']], required: false }],
    }),
    positive: true,
  },
  {
    id: 'N053',
    title: 'both sets answered',
    format: 'vp_token',
    expectedCheck: 'accepted',
    positive: true,
    make: (world) => trialOf(world, { pid: [presentSdJwt(world)], mdl: [presentMdoc(world)] }, BOTH),
  },
  {
    id: 'N053',
    title: 'an invalid optional credential beside a valid required one',
    format: 'vp_token',
    expectedCheck: 'holder_signature_valid',
    make: (world) =>
      trialOf(
        world,
        { pid: [presentSdJwt(world)], mdl: [presentMdoc(world, { deviceKey: world.otherKey })] },
        { ...BOTH, credential_sets: [{ options: [['pid']] }, { options: [['mdl']], required: false }] },
      ),
  },
]

const CLAIMS: readonly Mutation[] = [
  {
    id: 'N054',
    title: 'an mdoc under the id of an SD-JWT',
    format: 'vp_token',
    expectedCheck: 'well_formed',
    make: (world) => trialOf(world, { pid: [presentMdoc(world)] }, PID_ONLY),
  },
  {
    id: 'N054',
    title: 'an SD-JWT under the id of an mdoc',
    format: 'vp_token',
    expectedCheck: 'well_formed',
    make: (world) => trialOf(world, { mdl: [presentSdJwt(world)] }, { credentials: [MDL_QUERY] }),
  },
  queried(
    'N055',
    'another vct was asked for',
    'type_requested',
    asking({ meta: { vct_values: ['urn:example:membership:1'] } }),
  ),
  queried(
    'N056',
    'no claim set is complete',
    'query_answered',
    asking({
      claims: [
        { id: 'a', path: ['email'] },
        { id: 'b', path: ['family_name'] },
        { id: 'c', path: ['phone_number'] },
      ],
      claim_sets: [['a'], ['b', 'c']],
    }),
  ),
  queried('N056', 'a requested claim was not disclosed', 'query_answered', asking({ claims: [{ path: ['email'] }] })),
  queried(
    'N057',
    'a value that was not asked for',
    'query_answered',
    asking({ claims: [{ path: ['family_name'], values: ['Somebody'] }] }),
  ),
  queried(
    'N057',
    'the right value in another type',
    'query_answered',
    asking({ claims: [{ path: ['age_equal_or_over', '18'], values: ['true', 1] }] }),
  ),
  queried(
    'N059',
    'a path through a string',
    'query_answered',
    asking({ claims: [{ path: ['family_name', 'first'] }] }),
  ),
  queried('N059', 'an index into an object', 'query_answered', asking({ claims: [{ path: ['address', 0] }] })),
  queried(
    'N060',
    'an inherited member is not a claim',
    'query_answered',
    asking({ claims: [{ path: ['constructor', 'name'] }] }),
  ),
  queried('N060', '__proto__ is not a claim', 'query_answered', asking({ claims: [{ path: ['__proto__'] }] })),
  queried(
    'V001',
    'another authority was asked for',
    'authority_requested',
    asking({ trusted_authorities: [{ type: 'aki', values: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'] }] }),
  ),
  {
    ...queried(
      'N061',
      'claims that were not asked for are dropped',
      'accepted',
      asking({ claims: [{ path: ['address', 'country'] }] }),
    ),
    positive: true,
    claims: [{ address: { country: PERSON.country } }],
  },
  {
    ...queried('N061', 'a query without claims returns no claims', 'accepted', {
      credentials: [withoutClaims(SD_JWT_QUERY)],
    }),
    positive: true,
    claims: [{}],
  },
  {
    id: 'N062',
    title: 'a subtype of the requested vct whose issuer is not authorised for it',
    format: 'dc+sd-jwt',
    expectedCheck: 'issuer_trusted',
    make: (world) =>
      trialOf(
        world,
        { pid: [presentSdJwt(world, { template: (claims) => ({ ...claims, vct: 'urn:eudi:pid:de:1' }) })] },
        asking({ meta: { vct_values: [TYPE.pidSdJwt, 'urn:eudi:pid:de:1'] } }),
      ),
  },
  {
    id: 'N063',
    title: 'two credentials of different persons are accepted with a warning',
    format: 'vp_token',
    expectedCheck: 'accepted',
    positive: true,
    warnings: ['claim_conflict'],
    make: twoPersons,
  },
]

export const VP_TOKEN_MUTATIONS: readonly Mutation[] = [...SHAPES, ...SETS, ...CLAIMS]

function withoutClaims({ claims: _, ...query }: JsonObject): JsonObject {
  return query
}

function twoPersons(world: World): Trial {
  const names = (format: string, path: (name: string) => readonly string[]): JsonObject => ({
    format,
    claims: [{ path: [...path('family_name')] }],
  })
  const query: JsonObject = {
    credentials: [
      { id: 'pid', ...names('dc+sd-jwt', (name) => [name]), meta: { vct_values: [TYPE.pidSdJwt] } },
      { id: 'mdl', ...names('mso_mdoc', (name) => [MDL_NAMESPACE, name]), meta: { doctype_value: TYPE.mdl } },
    ],
  }
  const pid = presentSdJwt(world, { template: () => ({ ...goodClaims(world), family_name: sd('Anderson') }) })
  return trialOf(world, { pid: [pid], mdl: [presentMdoc(world)] }, query)
}
