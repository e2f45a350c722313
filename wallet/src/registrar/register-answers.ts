// Answers queries to the register's public interface (TS5) about registered parties, and signs the answers.

import type { Json, JsonObject } from '../encoding/json.ts'
import { CURVES, publicJwk, thumbprint, toBase64url } from '../keys.ts'
import { coversPath } from '../registration/over-asking.ts'
import { signJws } from '../sdjwt.ts'
import type { IntendedUse, Party, PartyService, RegisteredType } from './party.ts'
import { identifierOf } from './party.ts'
import type { RegistrarState } from './state.ts'
import { findParty } from './state.ts'

export interface RegisterAnswer {
  readonly status: 200 | 400 | 404
  readonly contentType: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

const LIMIT_MAX = 20

/** `path` begins with /wrp and is below the register's own address. */
export function answerRegister(
  state: RegistrarState,
  { path, query }: { readonly path: string; readonly query: URLSearchParams },
  now: number,
): RegisterAnswer {
  if (path === '/wrp') return answerSearch(state, query, now)
  if (path === '/wrp/check-intended-use') return answerCheck(state, query, now)
  const named = /^\/wrp\/([^/]+)$/.exec(path)?.[1]
  const party = named === undefined ? null : findParty(state, decoded(named))
  return party === null
    ? failed(404, 'no party with that identifier is registered')
    : signed(state, { data: partyJson(state, party) }, now)
}

export const registerKeysUri = (base: string) => `${base}/jwks.json`

export function registerKeys(state: RegistrarState): JsonObject {
  const { key, certificate } = state.register.signer
  return { keys: [{ ...publicJwk(key), use: 'sig', alg: CURVES[key.crv].jose, kid: keyId(state), x5c: [certificate] }] }
}

const keyId = (state: RegistrarState) => toBase64url(thumbprint(state.register.signer.key))

function signed(state: RegistrarState, content: JsonObject, now: number): RegisterAnswer {
  const { key, certificate } = state.register.signer
  const header = { alg: CURVES[key.crv].jose, typ: 'JWT', kid: keyId(state), x5c: [certificate] }
  return {
    status: 200,
    contentType: 'application/jwt',
    headers: { 'x-jku-url': registerKeysUri(state.base) },
    body: signJws(header, { iss: state.base, iat: now, ...content }, key),
  }
}

function failed(status: 400 | 404, problem: string): RegisterAnswer {
  const body = JSON.stringify({ status, title: problem })
  return { status, contentType: 'application/problem+json', headers: {}, body }
}

function answerSearch(state: RegistrarState, query: URLSearchParams, now: number): RegisterAnswer {
  const limit = Number(query.get('limit') ?? LIMIT_MAX)
  const from = Number(query.get('cursor') ?? 0)
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) return failed(400, `limit is 1 to ${LIMIT_MAX}`)
  if (!Number.isInteger(from) || from < 0) return failed(400, 'cursor is one that was given')
  const found = state.parties.filter((party) =>
    FILTERS.every(([name, fits]) => {
      const wanted = query.get(name)
      return wanted === null || fits(party, wanted)
    }),
  )
  const page = found.slice(from, from + limit)
  const more = found.length > from + limit
  const pagination = { has_next_page: more, ...(more ? { next_cursor: String(from + limit) } : {}) }
  return signed(state, { data: page.map((party) => partyJson(state, party)), pagination }, now)
}

type Filter = (party: Party, wanted: string) => boolean

const usesOf = (party: Party) => party.services.flatMap(({ intendedUses }) => intendedUses)
const typesOf = (party: Party) => usesOf(party).flatMap(({ credentials }) => credentials)

const FILTERS: readonly (readonly [string, Filter])[] = [
  [
    'identifier',
    (party, wanted) => identifierOf(party) === wanted || party.identifier.some((one) => one.identifier === wanted),
  ],
  ['legalname', (party, wanted) => party.legalName === wanted],
  ['tradename', (party, wanted) => party.tradeName === wanted],
  ['policy', (party, wanted) => usesOf(party).some(({ privacyPolicy }) => privacyPolicy === wanted)],
  ['entitlement', (party, wanted) => party.services.some(({ entitlements }) => entitlements.includes(wanted))],
  ['credentialmeta', (party, wanted) => typesOf(party).some((type) => isOfType(type, wanted))],
  ['credentialformat', (party, wanted) => typesOf(party).some(({ format }) => format === wanted)],
  ['usesintermediary', (party, wanted) => party.services.some((service) => usesAny(service, wanted))],
  ['isintermediary', (party, wanted) => String(party.services.some(({ isIntermediary }) => isIntermediary)) === wanted],
  ['intendeduseidentifier', (party, wanted) => usesOf(party).some((use) => use.intendedUseIdentifier === wanted)],
]

/** Whether a service uses this intermediary; for `true` and `false`: whether it uses any intermediary. */
function usesAny({ usesIntermediary }: PartyService, wanted: string): boolean {
  if (wanted === 'true' || wanted === 'false') return String(usesIntermediary.length > 0) === wanted
  return usesIntermediary.includes(wanted)
}

function isOfType({ meta }: RegisteredType, wanted: string): boolean {
  return meta.doctype_value === wanted || meta.vct_values?.includes(wanted) === true
}

function answerCheck(state: RegistrarState, query: URLSearchParams, now: number): RegisterAnswer {
  const identifier = query.get('rpidentifier')
  if (identifier === null) return failed(400, 'rpidentifier is missing')
  const party = findParty(state, identifier)
  if (party === null) return signed(state, { data: { isRegistered: false, details: 'not registered' } }, now)
  const fits = usesOf(party).some((use) => use.revokedAt === undefined && fitsUse(use, query))
  return signed(state, { data: { isRegistered: fits } }, now)
}

function fitsUse(use: IntendedUse, query: URLSearchParams): boolean {
  const [id, policy] = [query.get('intendeduseidentifier'), query.get('policyurl')]
  if (id !== null && use.intendedUseIdentifier !== id) return false
  if (policy !== null && use.privacyPolicy !== policy) return false
  const [format, meta, path] = [query.get('credentialformat'), query.get('credentialmeta'), query.get('claimpath')]
  if (format === null && meta === null && path === null) return true
  return use.credentials.some(
    (type) =>
      (format === null || type.format === format) &&
      (meta === null || isOfType(type, meta)) &&
      (path === null || type.claims.some((claim) => coversPath(claim.path, pathOf(path)))),
  )
}

/** Reads a path: `["address","locality"]`, or `address.locality`. */
function pathOf(text: string): readonly (string | number | null)[] {
  if (!text.startsWith('[')) return text.split('.')
  try {
    return JSON.parse(text) as readonly (string | number | null)[]
  } catch {
    return [text]
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** WalletRelyingParty of TS5 v1.4. */
function partyJson(state: RegistrarState, party: Party): JsonObject {
  return {
    ...(party.legalName === undefined
      ? { naturalPerson: { givenName: party.givenName ?? '', familyName: party.familyName ?? '' } }
      : { legalPerson: { legalName: [party.legalName] } }),
    tradeName: party.tradeName,
    identifier: [...party.identifier.map(({ type, identifier }) => ({ type, identifier }))],
    country: party.country,
    ...(party.email === undefined ? {} : { email: [party.email] }),
    ...(party.infoURI === undefined ? {} : { infoURI: [party.infoURI] }),
    ...(party.supervisoryAuthority === undefined ? {} : { supervisoryAuthority: { ...party.supervisoryAuthority } }),
    isPSB: false,
    registryURI: state.base,
    services: party.services.map(serviceJson),
  }
}

function serviceJson(service: PartyService): JsonObject {
  return {
    serviceTradeName: service.serviceTradeName,
    serviceIdentifier: service.serviceIdentifier,
    supportURI: [...service.supportURI],
    srvDescription: [service.description.map(({ lang, content }) => ({ lang, content }))],
    entitlements: [...service.entitlements],
    isIntermediary: service.isIntermediary,
    usesIntermediary: service.usesIntermediary.map((identifier) => ({ identifier })),
    intendedUses: service.intendedUses.map(useJson),
  }
}

function useJson(use: IntendedUse): JsonObject {
  return {
    intendedUseIdentifier: use.intendedUseIdentifier,
    purpose: use.purpose.map(({ lang, content }) => ({ lang, content })),
    privacyPolicy: [{ type: 'http://data.europa.eu/eudi/policy/privacy-policy', policyURI: use.privacyPolicy }],
    ...(use.revokedAt === undefined ? {} : { revokedAt: new Date(use.revokedAt * 1000).toISOString().slice(0, 10) }),
    credentials: use.credentials.map(({ format, meta, claims }) => ({
      format,
      meta: { ...meta } as Json,
      claims: claims.map(({ path }) => ({ path: [...path] })),
    })),
  }
}
