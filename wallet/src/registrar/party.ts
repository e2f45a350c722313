// Parses a party of the sandbox register (data model of TS5), strictly, because people write it by hand.

import { isObject, member } from '../encoding/json.ts'
import type { ClaimPath } from '../present.ts'

export interface Party {
  readonly tradeName: string
  /** Absent for a natural person. */
  readonly legalName?: string
  readonly givenName?: string
  readonly familyName?: string
  readonly identifier: readonly { readonly type: string; readonly identifier: string }[]
  readonly country: string
  readonly email?: string
  readonly infoURI?: string
  readonly supervisoryAuthority?: { readonly name: string; readonly country: string; readonly email?: string }
  readonly services: readonly PartyService[]
}

export interface PartyService {
  readonly serviceTradeName: string
  readonly serviceIdentifier: string
  readonly supportURI: readonly string[]
  readonly description: readonly Localized[]
  readonly entitlements: readonly string[]
  readonly isIntermediary: boolean
  /** Identifiers of the intermediaries that may ask on behalf of the service. */
  readonly usesIntermediary: readonly string[]
  readonly intendedUses: readonly IntendedUse[]
}

export interface IntendedUse {
  readonly intendedUseIdentifier: string
  readonly purpose: readonly Localized[]
  readonly privacyPolicy: string
  /** Unix seconds. */
  readonly revokedAt?: number
  readonly credentials: readonly RegisteredType[]
}

/** The registered claims of one credential. */
export interface RegisteredType {
  readonly format: string
  readonly meta: { readonly vct_values?: readonly string[]; readonly doctype_value?: string }
  readonly claims: readonly { readonly path: ClaimPath }[]
}

export interface Localized {
  readonly lang: string
  readonly content: string
}

/** A refusal of the registrar, with a message for the caller. */
export class RegistrarRefused extends Error {
  constructor(problem: string) {
    super(problem)
    this.name = 'RegistrarRefused'
  }
}

const LENGTH_MAX = 20
const PATHS_MAX = 100
const TEXT_MAX = 500

const SERVICE_PROVIDER = 'https://uri.etsi.org/19475/Entitlement/Service_Provider'

export function readParty(value: unknown): Party {
  if (!isObject(value)) throw new RegistrarRefused('a party is a JSON object')
  const legalName = optionalText(value, 'legalName')
  const party: Party = {
    tradeName: text(value, 'tradeName'),
    ...(legalName === undefined
      ? { givenName: text(value, 'givenName'), familyName: text(value, 'familyName') }
      : { legalName }),
    identifier: list(value, 'identifier').map((one) => ({
      type: text(one, 'type'),
      identifier: matching(one, 'identifier', ID),
    })),
    country: matching(value, 'country', /^[A-Z]{2}$/),
    ...optional('email', optionalText(value, 'email')),
    ...optional('infoURI', optionalUrl(value, 'infoURI')),
    ...optional('supervisoryAuthority', readAuthority(member(value, 'supervisoryAuthority'))),
    services: list(value, 'services').map(readService),
  }
  const ids = party.services.map(({ serviceIdentifier }) => serviceIdentifier)
  if (new Set(ids).size !== ids.length) throw new RegistrarRefused('two services have one serviceIdentifier')
  return party
}

/** Writes the identifier in the form of certificates (EN 319 412-1). An identifier that already has this form is unchanged. */
export function identifierOf(party: Pick<Party, 'identifier' | 'country'>): string {
  const [first] = party.identifier
  if (first === undefined) throw new RegistrarRefused('a party has an identifier')
  if (/^[A-Z]{3,4}[A-Z]{2}-/.test(first.identifier)) return first.identifier
  const kind = first.type.split('/').at(-1) ?? ''
  if (kind === 'LEI') return `LEIXG-${first.identifier}`
  const prefix = { EUID: 'EUID', VATIN: 'VAT' }[kind] ?? 'NTR'
  return `${prefix}${party.country}-${first.identifier}`
}

const ID = /^[A-Za-z0-9._:-]{1,100}$/

function readService(value: unknown): PartyService {
  const isIntermediary = member(value, 'isIntermediary') === true
  return {
    serviceTradeName: text(value, 'serviceTradeName'),
    serviceIdentifier: matching(value, 'serviceIdentifier', ID),
    supportURI: list(value, 'supportURI', 0).map((uri) => checkUrl(uri, 'supportURI')),
    description: list(value, 'description', 0).map(readLocalized),
    // TS5 v1.5: a service that is only an intermediary has neither entitlement nor intended use.
    entitlements: isIntermediary ? [] : textsOr(member(value, 'entitlements'), [SERVICE_PROVIDER]),
    isIntermediary,
    usesIntermediary: textsOr(member(value, 'usesIntermediary'), []),
    intendedUses: list(value, 'intendedUses', isIntermediary ? 0 : 1).map(readIntendedUse),
  }
}

function readIntendedUse(value: unknown): IntendedUse {
  return {
    intendedUseIdentifier: matching(value, 'intendedUseIdentifier', ID),
    purpose: list(value, 'purpose').map(readLocalized),
    privacyPolicy: checkUrl(member(value, 'privacyPolicy'), 'privacyPolicy'),
    credentials: list(value, 'credentials').map(readType),
  }
}

function readType(value: unknown): RegisteredType {
  const format = text(value, 'format')
  const meta = member(value, 'meta')
  const claims = list(value, 'claims', 0, PATHS_MAX).map((claim) => ({ path: readPath(member(claim, 'path')) }))
  if (format === 'mso_mdoc') return { format, meta: { doctype_value: text(meta, 'doctype_value') }, claims }
  if (format !== 'dc+sd-jwt') throw new RegistrarRefused(`format is dc+sd-jwt or mso_mdoc, not '${format}'`)
  const types = list(meta, 'vct_values').map((vct) => checkText(vct, 'vct_values'))
  return { format, meta: { vct_values: types }, claims }
}

function readPath(value: unknown): ClaimPath {
  const isPart = (part: unknown) =>
    part === null || typeof part === 'string' || (Number.isInteger(part) && Number(part) >= 0)
  if (!Array.isArray(value) || value.length === 0 || value.length > LENGTH_MAX || !value.every(isPart))
    throw new RegistrarRefused('path is a non-empty array of names, indices and null')
  return value as ClaimPath
}

function readLocalized(value: unknown): Localized {
  return { lang: matching(value, 'lang', /^[A-Za-z-]{2,10}$/), content: text(value, 'content') }
}

function readAuthority(value: unknown): Party['supervisoryAuthority'] {
  if (value === undefined) return undefined
  return {
    name: text(value, 'name'),
    country: matching(value, 'country', /^[A-Z]{2}$/),
    ...optional('email', optionalText(value, 'email')),
  }
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined): { readonly [N in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: Value }
}

function checkText(value: unknown, name: string): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= TEXT_MAX) return value
  throw new RegistrarRefused(`${name} is a text of at most ${TEXT_MAX} characters`)
}

const text = (value: unknown, name: string) => checkText(member(value, name), name)
const optionalText = (value: unknown, name: string) =>
  member(value, name) === undefined ? undefined : text(value, name)
const optionalUrl = (value: unknown, name: string) =>
  member(value, name) === undefined ? undefined : checkUrl(member(value, name), name)

function matching(value: unknown, name: string, pattern: RegExp): string {
  const found = text(value, name)
  if (pattern.test(found)) return found
  throw new RegistrarRefused(`${name} must match ${pattern.source}`)
}

function checkUrl(value: unknown, name: string): string {
  const found = checkText(value, name)
  if (/^(https?|mailto|tel):/.test(found) && URL.canParse(found)) return found
  throw new RegistrarRefused(`${name} is an address`)
}

function textsOr(value: unknown, fallback: readonly string[]): readonly string[] {
  if (value === undefined) return fallback
  if (!Array.isArray(value) || value.length > LENGTH_MAX) throw new RegistrarRefused('a list of texts is expected')
  return value.map((one) => checkText(one, 'an entry of a list'))
}

function list(value: unknown, name: string, least = 1, most = LENGTH_MAX): readonly unknown[] {
  const found = member(value, name)
  if (found === undefined && least === 0) return []
  if (Array.isArray(found) && found.length >= least && found.length <= most) return found
  throw new RegistrarRefused(`${name} is an array of ${least} to ${most}`)
}
