// The profiles of published lists, with the types that each list and its services may have: ETSI TS 119 602 Annexes D to I, the
// European Commission's lists of providers of mDLs and of age attestations, and VICALs.

import type { ListKind, ListTerms, RefusedList } from './published-list.ts'

export type ListProviders =
  | 'pid'
  | 'mdl'
  | 'public-attestation'
  | 'attestation'
  | 'registration-certificate'
  | 'register'
  | 'wallet'
  | 'access-certificate'
  | 'mdoc'
  | 'age-attestation'

export interface ReadingTerms extends ListTerms {
  /** The kind of providers in the list, as its importer stated. */
  readonly providers: ListProviders
}

export interface ListProfile {
  readonly kind: ListKind
  /** A description of the list, for an importer who chose the wrong kind. */
  readonly named: string
  /** Allowed values of `LoTEType` or `TSLType`. A VICAL has none. */
  readonly listTypes: readonly string[]
  /** Services whose certificates vouch for credentials. */
  readonly issuing: readonly string[]
  /** Services that may be on the list, but only publish revocations. They vouch for nothing. */
  readonly silent: readonly string[]
  /** Whether a service counts only if it has a status. */
  readonly needsStatus: boolean
  /** The only types that such a list vouches for, even if more is granted; null: any. */
  readonly docTypes: readonly string[] | null
}

const ETSI = 'http://uri.etsi.org/19602'
const MDL = 'http://trust.ec.europa.eu/lists/mDL'
const AGES = 'trust.tech.ec.europa.eu/lists/age-verification'

function annex(named: string, list: string, service: string): ListProfile {
  return {
    kind: 'lote',
    named,
    listTypes: [`${ETSI}/LoTEType/${list}`],
    issuing: [`${ETSI}/SvcType/${service}/Issuance`],
    silent: [`${ETSI}/SvcType/${service}/Revocation`],
    needsStatus: false,
    docTypes: null,
  }
}

const PROFILES: Readonly<Record<ListProviders, ListProfile>> = {
  // TS 119 602 Annexes D to I, in that order.
  pid: annex('PID providers', 'EUPIDProvidersList', 'PID'),
  wallet: annex('wallet providers', 'EUWalletProvidersList', 'WalletSolution'),
  'access-certificate': annex('providers of access certificates', 'EUWRPACProvidersList', 'WRPAC'),
  'registration-certificate': annex('providers of registration certificates', 'EUWRPRCProvidersList', 'WRPRC'),
  // §H: a service always has a status, notified or withdrawn.
  'public-attestation': {
    ...annex('public bodies that issue attestations', 'EUPubEAAProvidersList', 'PubEAA'),
    needsStatus: true,
  },
  register: {
    ...annex('registrars and registers', 'EURegistrarsAndRegistersList', 'Register'),
    issuing: [`${ETSI}/SvcType/Register`],
    silent: [],
  },
  // Not in TS 119 602: libraries of the OpenWallet Foundation publish this for attestations that are not qualified.
  attestation: annex('attestation providers', 'EUEAAProvidersList', 'EAA'),
  // eidas.ec.europa.eu/efda/wallet/lists-of-trusted-entities/mdl-providers. The Commission's list uses the second name.
  mdl: {
    ...annex('mDL providers', '', ''),
    listTypes: [`${MDL}/mDLProvidersListType`],
    issuing: [`${MDL}/SvcType/Issuance`, `${ETSI}/SvcType/mDL/Issuance`],
    silent: [`${MDL}/SvcType/Revocation`, `${ETSI}/SvcType/mDL/Revocation`],
    docTypes: ['org.iso.18013.5.1.mDL'],
  },
  // The European Commission's specification of the age verification trusted list allows both types.
  'age-attestation': {
    kind: 'tsl',
    named: 'providers of age attestations',
    listTypes: [`http://${AGES}/tsl-type`, `https://${AGES}/tsl-type`],
    issuing: [`http://${AGES}/service-type/paa`],
    silent: [],
    needsStatus: true,
    docTypes: ['eu.europa.ec.av.1'],
  },
  mdoc: {
    kind: 'vical',
    named: 'mdoc issuers',
    listTypes: [],
    issuing: [],
    silent: [],
    needsStatus: false,
    docTypes: null,
  },
}

/** Returns the profile of the list, or a refusal if this format has no such list. */
export function profileOf(providers: ListProviders, kind: ListKind): ListProfile | RefusedList {
  const profile = PROFILES[providers]
  return profile.kind === kind ? profile : mismatch(`no such list names ${profile.named}`)
}

/** Returns why the list is of another kind than imported; null if its type is allowed. */
export function listTypeFault(profile: ListProfile, type: unknown): RefusedList | null {
  if (typeof type === 'string' && profile.listTypes.includes(type)) return null
  const other = Object.values(PROFILES).find(({ listTypes }) => typeof type === 'string' && listTypes.includes(type))
  if (other === undefined) return mismatch(`the list does not say that it names ${profile.named}`)
  return mismatch(`the list names ${other.named}, and was imported as one that names ${profile.named}`)
}

/**
 * Returns why a service does not belong on the list; null if it does. One such service refuses the whole list: the
 * profiles define all types of services, so this must be another list than the imported one.
 */
export function serviceTypeFault(profile: ListProfile, type: unknown): RefusedList | null {
  if (typeof type === 'string' && (isIssuing(profile, type) || profile.silent.includes(type))) return null
  return mismatch(`the list was imported as one that names ${profile.named}, and has a service of another kind`)
}

export const isIssuing = ({ issuing }: ListProfile, type: unknown): boolean =>
  typeof type === 'string' && issuing.includes(type)

const mismatch = (detail: string): RefusedList => ({ outcome: 'refused', detail, mismatch: true })
