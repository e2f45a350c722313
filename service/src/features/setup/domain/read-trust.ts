// Reads the anchors, published lists and certificates of a set-up file.

import { CERTIFICATE_PURPOSES, IMPORTED_PROVIDERS, TRUST_LIST_KINDS } from '../../../../../wire/values/trust.ts'
import { isIntendedUse } from '../../../core/registrations/domain/registration.ts'
import { isLine } from '../../../core/tenants/domain/names.ts'
import {
  certificatesIn,
  isAddress,
  isVouchedType,
  onlyProviders,
  providersProblem,
  readSoleType,
  type SoleType,
  vouchedTypesOf,
} from '../../trust/index.ts'
import type { AnchorEntry, CertificateEntry, TrustListEntry, TrustSetup } from './setup.ts'
import { choiceOf, membersOf, readEach, requireDistinct, type SetupValue, textOf, wrong } from './setup-value.ts'

export const TRUST_MEMBERS = ['anchors', 'trust_lists', 'certificates'] as const
const ANCHOR_KINDS = ['ca', 'pinned', 'exact'] as const
const ANCHOR_PROFILES = ['generic', 'iso-mdl'] as const

export function readTrust(members: Partial<Readonly<Record<(typeof TRUST_MEMBERS)[number], SetupValue>>>): TrustSetup {
  const anchors = readEach(members.anchors, readAnchor)
  const trustLists = readEach(members.trust_lists, readTrustList)
  const certificates = readEach(members.certificates, readCertificate)
  requireDistinct(members.anchors, anchors, 'certificate', anchorIdentity)
  requireDistinct(members.trust_lists, trustLists, 'source', trustListIdentity)
  requireDistinct(members.certificates, certificates, 'purpose', certificateUse)
  return { anchors, trustLists, certificates }
}

export const anchorIdentity = ({ kind, profile, certificate }: Pick<AnchorEntry, 'kind' | 'profile' | 'certificate'>) =>
  `${kind} ${profile} ${Buffer.from(certificate).toString('hex')}`

export const trustListIdentity = ({ kind, source }: Pick<TrustListEntry, 'kind' | 'source'>) => `${kind} ${source}`

/** The identity of a certificate: each use has one current certificate. */
export const certificateUse = ({ purpose, serviceId }: Pick<CertificateEntry, 'purpose' | 'serviceId'>) =>
  `${purpose}${serviceId === null ? '' : ` for ${serviceId}`}`

function readAnchor(value: SetupValue): AnchorEntry | undefined {
  const members = membersOf(value, ['certificate', 'types', 'sole_type', 'kind', 'profile'])
  if (members === undefined) return undefined
  const kind = choiceOf(members.kind, ANCHOR_KINDS, 'ca')
  const profile = choiceOf(members.profile, ANCHOR_PROFILES, 'generic')
  const types = readTypes(members.types, value)
  const sole = readSole(members.sole_type)
  const [certificate, ...more] = readPem(members.certificate, value, 'certificate')
  if (types === undefined) return undefined
  if (more.length > 0) return wrong(members.certificate ?? value, 'must contain one certificate')
  if (certificate === undefined || kind == null || profile == null || sole === undefined) return undefined
  return { path: value.path, kind, profile, types, ...(sole === null ? {} : { sole }), certificate }
}

/** The types that an entry may vouch for, sorted and distinct. */
function readTypes(value: SetupValue | undefined, within: SetupValue): AnchorEntry['types'] | undefined {
  const types = readEach(value, (one) =>
    typeof one.json === 'string' && isVouchedType(one.json)
      ? one.json
      : wrong(one, `must name a type with its format: ${vouchedTypesOf()}`),
  )
  if (types === null || types.length === 0) return wrong(value ?? within, 'types: missing; list what it may vouch for')
  return [...new Set(types)].sort()
}

/** Returns null if the value is absent. */
function readSole(value: SetupValue | undefined): SoleType | null | undefined {
  if (value === undefined) return null
  const members = membersOf(value, ['doc_type', 'namespace', 'without_status'])
  if (members === undefined) return undefined
  const sole = readSoleType({
    doc_type: members.doc_type?.json,
    namespace: members.namespace?.json,
    without_status: members.without_status?.json ?? false,
  })
  return sole ?? wrong(value, 'must have doc_type and namespace as texts, and without_status as true or false')
}

const SOURCE_LENGTH_MAX = 2_000

function readTrustList(value: SetupValue): TrustListEntry | undefined {
  const members = membersOf(value, ['kind', 'providers', 'source', 'signer', 'types', 'sole_type'])
  if (members === undefined) return undefined
  if (members.kind === undefined) return wrong(value, 'kind is missing')
  const kind = choiceOf(members.kind, TRUST_LIST_KINDS, null)
  const only = kind == null ? null : onlyProviders(kind)
  if (members.providers === undefined && kind != null && only === null) return wrong(value, 'providers is missing')
  const providers = choiceOf(members.providers, IMPORTED_PROVIDERS, only)
  const source = textOf(members.source, value, 'source')
  const types = readTypes(members.types, value)
  const sole = readSole(members.sole_type)
  const [signer, signerAuthority = null, ...more] = readPem(members.signer, value, 'signer')
  if (more.length > 0) return wrong(members.signer ?? value, 'must contain one or two certificates')
  if (kind == null || providers == null || source === undefined || types === undefined) return undefined
  if (signer === undefined || sole === undefined) return undefined
  if (!isLine(source, SOURCE_LENGTH_MAX) || !isAddress(source) || !URL.canParse(source))
    return wrong(members.source ?? value, 'must be an http or https address: a file is imported by its own command')
  const unfit = providersProblem(providers, { kind, types })
  if (unfit !== null) return wrong(members.providers ?? value, unfit)
  const entry = { path: value.path, kind, providers, source, signer, signerAuthority, types }
  return sole === null ? entry : { ...entry, sole }
}

function readCertificate(value: SetupValue): CertificateEntry | undefined {
  const members = membersOf(value, ['purpose', 'service', 'chain', 'key_file'])
  if (members === undefined) return undefined
  const purpose = choiceOf(members.purpose, CERTIFICATE_PURPOSES, 'openid4vp')
  const serviceId = members.service === undefined ? null : textOf(members.service, value, 'service')
  const keyFile = members.key_file === undefined ? null : textOf(members.key_file, value, 'key_file')
  const chain = readPem(members.chain, value, 'chain')
  if (purpose == null || serviceId === undefined || keyFile === undefined || chain.length === 0) return undefined
  if (serviceId !== null && !isIntendedUse(serviceId))
    return wrong(members.service ?? value, 'must be 1 to 200 ASCII characters without spaces')
  return { path: value.path, purpose, serviceId, chain, keyFile }
}

/** Returns the DER of each certificate. Records a problem and returns an empty list if there is none. */
function readPem(value: SetupValue | undefined, within: SetupValue, name: string): readonly Uint8Array[] {
  const text = textOf(value, within, name)
  if (text === undefined) return []
  const found = certificatesIn(Buffer.from(text, 'utf8'))
  if (found.length === 0) wrong(value ?? within, 'must be PEM, from BEGIN CERTIFICATE to END CERTIFICATE')
  return found
}
