// Issues registration certificates (WRPRC, TS 119 475) in both published versions of the format, with a status.

import type { JsonObject } from '../encoding/json.ts'
import { CURVES } from '../keys.ts'
import type { ClaimPath } from '../present.ts'
import { signJws } from '../sdjwt.ts'
import { mintStatusListJwt, STATUS } from '../status-list.ts'
import type { IntendedUse, Localized, Party, PartyService, RegisteredType } from './party.ts'
import { identifierOf, RegistrarRefused } from './party.ts'
import type { IssuedRegistration, RegistrarState } from './state.ts'
import { intendedUseOf, partyOf, STATUS_LIST_SIZE, serviceOf } from './state.ts'

export interface RegistrationRequest {
  readonly identifier: string
  readonly serviceIdentifier: string
  readonly intendedUseIdentifier: string
  readonly now: number
  readonly days: number
  /** The published version of the standard whose format the certificate has. */
  readonly version: '1.2.1' | '1.1.1'
  /** The certificate's deliberate fault. */
  readonly defect?: RegistrationDefect
}

/** Faults of a registrar that a wallet must detect. */
export const REGISTRATION_DEFECTS = {
  expired_registration: 'it ended yesterday',
  revoked_registration: 'the status list calls it revoked',
  wrong_intermediary: 'it names another intermediary than the one that asks',
  service_mismatch: 'it is for another service than the access certificate',
  over_asking: 'it lacks the last claim of each credential, so that the usual question asks for too much',
} as const
export type RegistrationDefect = keyof typeof REGISTRATION_DEFECTS

const DAY = 86_400
/** V1.2.1, GEN-5.2.4-08: at most twelve months. */
const DAYS_MAX = 365

interface IssuedCertificate {
  readonly state: RegistrarState
  readonly jwt: string
  readonly index: number
}

export function issueRegistrationCertificate(state: RegistrarState, request: RegistrationRequest): IssuedCertificate {
  if (!(Number.isInteger(request.days) && request.days >= 1 && request.days <= DAYS_MAX))
    throw new RegistrarRefused(`a registration certificate is valid for 1 to ${DAYS_MAX} days`)
  const party = partyOf(state, request.identifier)
  const service = serviceOf(party, request.serviceIdentifier)
  const use = intendedUseOf(service, request.intendedUseIdentifier)
  if (use.revokedAt !== undefined) throw new RegistrarRefused(`${use.intendedUseIdentifier} is no longer registered`)
  const index = nextIndex(state)
  const isExpired = request.defect === 'expired_registration'
  const issuedAt = isExpired ? request.now - 20 * DAY : request.now
  const expiresAt = isExpired ? request.now - DAY : request.now + request.days * DAY
  const issued: IssuedRegistration = {
    index,
    identifier: identifierOf(party),
    serviceIdentifier: request.serviceIdentifier,
    intendedUseIdentifier: request.intendedUseIdentifier,
    expiresAt,
    revoked: request.defect === 'revoked_registration',
  }
  const terms = { issuedAt, expiresAt, index, defect: request.defect ?? null }
  const { write, jades } = request.version === '1.2.1' ? V1_2_1 : V1_1_1
  const { signer } = state.provider
  const header = { alg: CURVES[signer.key.crv].jose, typ: 'rc-wrp+jwt', x5c: [signer.certificate], ...jades(issuedAt) }
  const jwt = signJws(header, write(state, { party, service, use }, terms), signer.key)
  // Expired certificates need no status.
  const unexpired = state.issued.filter((one) => one.expiresAt > request.now - DAY)
  return { state: { ...state, issued: [...unexpired, issued] }, jwt, index }
}

/** The lowest free index of the status list. An index is free again once its certificate has expired. */
function nextIndex(state: RegistrarState): number {
  const taken = new Set(state.issued.map(({ index }) => index))
  for (let index = 0; index < STATUS_LIST_SIZE; index++) if (!taken.has(index)) return index
  throw new RegistrarRefused(`the status list holds at most ${STATUS_LIST_SIZE} certificates`)
}

export function revokeRegistration(state: RegistrarState, index: number): RegistrarState {
  if (!state.issued.some((one) => one.index === index))
    throw new RegistrarRefused(`there is no registration certificate with index ${index}`)
  return { ...state, issued: state.issued.map((one) => (one.index === index ? { ...one, revoked: true } : one)) }
}

export const registrationStatusUri = (base: string) => `${base}/status-list.jwt`

export function registrationStatusList(state: RegistrarState, now: number): string {
  const revoked = state.issued.filter((one) => one.revoked).map(({ index }) => [index, STATUS.invalid] as const)
  return mintStatusListJwt(
    {
      uri: registrationStatusUri(state.base),
      bits: 1,
      size: STATUS_LIST_SIZE,
      statuses: Object.fromEntries(revoked),
      issuedAt: now - 60,
      expiresAt: now + DAY,
      ttlSeconds: 300,
    },
    state.provider.signer,
  )
}

interface Registered {
  readonly party: Party
  readonly service: PartyService
  readonly use: IntendedUse
}

interface Terms {
  readonly issuedAt: number
  readonly expiresAt: number
  readonly index: number
  readonly defect: RegistrationDefect | null
}

/** V1.2.1: a JAdES baseline signature contains the time of signing. No `b64`, because some libraries refuse one that is not a boolean. */
const V1_2_1 = { write: claimsOfV121, jades: (issuedAt: number): JsonObject => ({ iat: issuedAt }) }
/** V1.1.1, table 5: `b64` and `cty` are strings. */
const V1_1_1 = { write: claimsOfV111, jades: (): JsonObject => ({ b64: 'true', cty: 'b64' }) }

function claimsOfV121(state: RegistrarState, { party, service, use }: Registered, terms: Terms): JsonObject {
  const between = intermediaryOf(state, service, terms)
  const { supervisoryAuthority: authority } = party
  return {
    ...shared(state, { party, service, use }, terms),
    sub: identifierOf(party),
    ...(party.legalName === undefined
      ? { sub_gn: party.givenName ?? '', sub_fn: party.familyName ?? '' }
      : { sub_ln: party.legalName }),
    name: service.serviceTradeName,
    // The standard has no member for what the ARF requires (RPRC_07a), so this is the member that Italy uses.
    srv_id: terms.defect === 'service_mismatch' ? `${service.serviceIdentifier}-other` : service.serviceIdentifier,
    srv_description: [described(service)],
    privacy_policy: use.privacyPolicy,
    ...(party.infoURI === undefined ? {} : { info_uri: party.infoURI }),
    ...(service.supportURI[0] === undefined ? {} : { support_uri: service.supportURI[0] }),
    ...(authority?.email === undefined ? {} : { supervisory_authority: { email: authority.email } }),
    credentials: use.credentials.map((type) => registered(type, terms)),
    ...(between === null ? {} : { intermediary: { sub: between.id, sname: between.name }, act: { sub: between.id } }),
  }
}

/** V1.1.1 has no member for the identifier of the service, so its name contains it. */
function claimsOfV111(state: RegistrarState, { party, service, use }: Registered, terms: Terms): JsonObject {
  const between = intermediaryOf(state, service, terms)
  return {
    ...shared(state, { party, service, use }, terms),
    sub: {
      ...(party.legalName === undefined
        ? { given_name: party.givenName ?? '', family_name: party.familyName ?? '' }
        : { legal_name: [party.legalName] }),
      id: party.identifier.map(({ type, identifier }) => ({ type, identifier })),
    },
    name: terms.defect === 'service_mismatch' ? `Not ${service.serviceTradeName}` : service.serviceTradeName,
    service: described(service),
    info_uri: party.infoURI === undefined ? [] : [party.infoURI],
    ...(service.supportURI.length === 0 ? {} : { support_uri: [...service.supportURI] }),
    privacy_policy: [{ type: 'http://data.europa.eu/eudi/policy/privacy-policy', policyURI: use.privacyPolicy }],
    dpa: authorityOfV111(party),
    credentials: use.credentials.flatMap((type) => registeredInV111(type, terms)),
    ...(between === null ? {} : { act: { sub: { id: between.id, name: between.name } } }),
  }
}

function shared(state: RegistrarState, { party, service, use }: Registered, terms: Terms): JsonObject {
  return {
    country: party.country,
    registry_uri: state.base,
    intended_use_id: use.intendedUseIdentifier,
    entitlements: [...service.entitlements],
    policy_id: ['0.4.0.19475.3.1'],
    certificate_policy: `${state.base}/policy`,
    iat: terms.issuedAt,
    exp: terms.expiresAt,
    status: { status_list: { idx: terms.index, uri: registrationStatusUri(state.base) } },
    purpose: use.purpose.map(valued),
  }
}

function intermediaryOf(
  state: RegistrarState,
  service: PartyService,
  { defect }: Terms,
): { readonly id: string; readonly name: string } | null {
  const [first] = service.usesIntermediary
  if (defect === 'wrong_intermediary') return { id: 'VATXX-SOMEBODY-ELSE', name: 'Somebody else' }
  if (first === undefined) return null
  return { id: first, name: state.parties.find((party) => identifierOf(party) === first)?.tradeName ?? first }
}

/** The service's description. The standard requires at least one text, so its name replaces a missing description. */
const described = ({ description, serviceTradeName }: PartyService) =>
  description.length === 0 ? [{ lang: 'en', value: serviceTradeName }] : description.map(valued)

/** The supervisory authority in V1.1.1, which requires all of these lists. */
function authorityOfV111({ supervisoryAuthority: authority, country }: Party): JsonObject {
  const email = authority?.email === undefined ? [] : [authority.email]
  return { country: authority?.country ?? country, email, phone: [], uri: [] }
}

const keptOf = ({ claims }: RegisteredType, { defect }: Terms) =>
  defect === 'over_asking' ? claims.slice(0, -1) : claims

/** V1.1.1 has one type and each path as a text; a path of several names is written as JSON. */
function registeredInV111(type: RegisteredType, terms: Terms): readonly JsonObject[] {
  const { doctype_value: docType, vct_values: types = [] } = type.meta
  const claim = keptOf(type, terms).map(({ path }) => {
    const [only] = path
    return { path: path.length === 1 && typeof only === 'string' ? only : JSON.stringify(path) }
  })
  return (docType === undefined ? types : [docType]).map((meta) => ({ format: type.format, meta, claim }))
}

function registered(type: RegisteredType, terms: Terms): JsonObject {
  const { format, meta } = type
  const types: JsonObject =
    meta.doctype_value === undefined
      ? { vct_values: [...(meta.vct_values ?? [])] }
      : { doctype_value: meta.doctype_value }
  return { format, meta: types, claim: keptOf(type, terms).map(({ path }) => ({ path: jsonPathOf(path) })) }
}

const jsonPathOf = (path: ClaimPath) => [...path]
const valued = ({ lang, content }: Localized) => ({ lang, value: content })
