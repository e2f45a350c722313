// Verifies a registration certificate: its signature against anchors for registrations, and its status.

import { algorithmNamed } from '../algorithms.ts'
import type { StatusReference } from '../examination.ts'
import type { Trust } from '../expected.ts'
import { type CompactJws, verifyWith } from '../jose.ts'
import { member } from '../json.ts'
import { establishStatus, type StatusOutcome } from '../status/establish.ts'
import type { RevocationStatus } from '../status/revocation-status.ts'
import { judgeChain } from '../trust/chain.ts'
import { signerStatus } from '../trust/revocation.ts'
import { readX5c } from '../x5c.ts'
import { REGISTRATION_FORMAT, type RegistrationCertificate, type RegistrationReading } from './certificate.ts'

export interface RegistrationTerms extends Pick<Trust, 'anchors' | 'cache' | 'fetchStatus'> {
  /** Unix seconds. */
  readonly now: number
}

export interface RegistrationVerdict {
  /** Why no trusted provider vouches for the certificate; null: one signed it. */
  readonly unverified: string | null
  /** `none`: the certificate names no list. `unknown`: the list is unavailable, or no trusted party signed the certificate. */
  readonly status: Exclude<RevocationStatus['outcome'], 'exceeded'> | 'none'
}

export interface JudgedRegistration extends RegistrationVerdict {
  /** The status of the provider's signer. `unverified` says so if it is revoked or on hold. */
  readonly signer: RegistrationVerdict['status']
}

/** Callers store it, and `keepRevocations` compares with it. */
const SIGNER_REVOKED = "a certificate of the provider's signer has been revoked"
const GOOD: readonly RegistrationVerdict['status'][] = ['none', 'valid', 'unknown']

export const isGoodRegistration = ({ unverified, status }: RegistrationVerdict) =>
  unverified === null && GOOD.includes(status)

/** Keeps revocations that a list stated before, because an attacker could block the list to hide them. */
export function keepRevocations(before: RegistrationVerdict, found: JudgedRegistration): RegistrationVerdict {
  const isSignerKept = found.signer === 'unknown' && before.unverified === SIGNER_REVOKED
  const isKept = found.status === 'unknown' && !GOOD.includes(before.status)
  return {
    unverified: isSignerKept ? SIGNER_REVOKED : found.unverified,
    status: isKept ? before.status : found.status,
  }
}

const SKEW_SECONDS = 300
/** Means every provider: anchors do not distinguish what providers register. */
const ANY_TYPE = '*'

export async function judgeRegistrationCertificate(
  { certificate, token }: Extract<RegistrationReading, { outcome: 'read' }>,
  terms: RegistrationTerms,
): Promise<JudgedRegistration> {
  const signed = judgeSignature(token, terms)
  if ('unverified' in signed)
    return { ...signed, status: certificate.status === null ? 'none' : 'unknown', signer: 'unknown' }
  const { signer, references } = signed
  const examined = {
    format: REGISTRATION_FORMAT,
    type: ANY_TYPE,
    failure: null,
    signer,
    status: [...ownStatus(certificate), ...references],
  } as const
  const expected = { now: terms.now, skewSeconds: SKEW_SECONDS }
  const [own, ofSigner] = await establishStatus(examined, expected, { ...terms, haip: false })
  const found = outcomeOf(ofSigner)
  const isRevoked = found === 'revoked' || found === 'suspended'
  return { unverified: isRevoked ? SIGNER_REVOKED : null, status: outcomeOf(own), signer: found }
}

/** If the separate budget of these lists is used up, the status is unknown. */
const outcomeOf = (found: StatusOutcome | undefined): RegistrationVerdict['status'] =>
  found === undefined || found.outcome === 'exceeded' ? 'unknown' : found.outcome

function judgeSignature(
  token: CompactJws,
  { anchors, cache, now }: RegistrationTerms,
): { unverified: string } | Signed {
  const carried = readX5c(token.header)
  if (carried.outcome !== 'carried') return { unverified: 'it carries no certificates of its signer' }
  const question = { chain: carried.chain, format: REGISTRATION_FORMAT, type: ANY_TYPE, at: now } as const
  const answer = judgeChain({ ...question, use: 'registration' }, { anchors, cache, haip: false })
  if (answer.outcome !== 'trusted') return { unverified: `no trusted provider signed it: ${answer.detail}` }
  const key = answer.signer.signatureKey
  if (key === null || algorithmNamed(member(token.header, 'alg')) !== key.algorithm || !verifyWith(key, token))
    return { unverified: 'its signature is not valid' }
  return {
    signer: { certificate: answer.signer.der, anchor: answer.anchor.der },
    references: signerStatus(answer, REGISTRATION_FORMAT),
  }
}

interface Signed {
  readonly signer: { readonly certificate: Uint8Array; readonly anchor: Uint8Array }
  readonly references: readonly StatusReference[]
}

function ownStatus({ status }: RegistrationCertificate): readonly StatusReference[] {
  if (status === null) return []
  const source = { uri: status.uri, kind: 'status_list_jwt', format: REGISTRATION_FORMAT } as const
  return [{ kind: 'list', source, index: status.index, certificate: null }]
}
