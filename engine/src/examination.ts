// Collects the checks and facts of one presented credential. Formats produce them; verify.ts judges them.

import type { SentRequest, StatusSource, Trust, ZkStatement } from './expected.ts'
import type { Budget } from './limits.ts'
import type { CredentialQueryBase } from './openid4vp/credential-query.ts'
import type { Certificate } from './trust/certificate.ts'
import type { ChainAnswer } from './trust/chain.ts'
import { OID } from './trust/extensions.ts'
import type { Check, CheckName, Confirmation, Issuer, JsonObject, RejectionCode, TrustEvidence } from './verdict.ts'
import { NOTHING_WITHHELD, type Withheld } from './withheld.ts'

/** What one presentation is checked against: its query, our request and our trust; and the remaining budget. */
export interface Demand<Query extends CredentialQueryBase = CredentialQueryBase> {
  readonly query: Query
  readonly expected: SentRequest
  readonly trust: Trust
  readonly budget: Budget
}

export interface Examination {
  readonly queryId: string
  /** vct or docType as signed; empty while it is unknown. */
  readonly type: string
  readonly issuer: Issuer
  readonly checks: readonly Check[]
  /** The rejection that follows from the first failed check; null if none failed. */
  readonly failure: { readonly code: RejectionCode; readonly message: string } | null
  /** Every disclosed claim that the issuer signed; null after any failed check. */
  readonly claims: JsonObject | null
  /** What the holder withheld from these claims. */
  readonly withheld: Withheld
  /** What the issuer's signature covers: the same in every presentation of one credential. null until the signature is verified. */
  readonly signedPart: Uint8Array | null
  /** When the credential expires (exp, validUntil), in unix seconds; null if it never does. */
  readonly expiresAt: number | null
  /** The transaction data that the holder confirmed. */
  readonly confirmed: readonly Confirmation[]
  /** Where to find the status of the credential and of its signer. */
  readonly status: readonly StatusReference[]
  /** Authority key identifiers of the verified chain, base64url, for trusted_authorities. */
  readonly authorityKeyIds: readonly string[]
  /** The verified signer certificate and its anchor (DER). Status lists and CRLs are checked against them. */
  readonly signer: TrustEvidence['signer']
  /** Whether a certificate of the signer's path names a revocation list; true until the path is known. */
  readonly signerNamesList: boolean
  /** Proofs of which one must still be verified; empty if there are none. */
  readonly proofs: readonly ZkStatement[]
}

/** What a format module can find without other modules. */
export type Facts = Omit<Examination, 'queryId' | 'checks' | 'failure'>

/** The facts about an unreadable presentation. */
export const NOTHING: Facts = {
  type: '',
  issuer: {},
  claims: null,
  withheld: NOTHING_WITHHELD,
  signedPart: null,
  expiresAt: null,
  confirmed: [],
  status: [],
  authorityKeyIds: [],
  signer: null,
  signerNamesList: true,
  proofs: [],
}

/** The facts with their log. After a failure it has no claims. */
export function examined(
  { id }: Pick<CredentialQueryBase, 'id'>,
  facts: Facts,
  { checks, failure }: CheckLog,
): Examination {
  return { queryId: id, ...facts, checks, failure, claims: failure === null ? facts.claims : null }
}

export function provenance(answer: ChainAnswer): Pick<Facts, 'authorityKeyIds' | 'signer' | 'signerNamesList'> {
  if (answer.outcome !== 'trusted') return { authorityKeyIds: [], signer: null, signerNamesList: true }
  const { signer, anchor, authorityKeyIds } = answer
  const fingerprints = { fingerprint: signer.fingerprint, anchorFingerprint: anchor.fingerprint }
  return {
    authorityKeyIds,
    signer: { certificate: signer.der, anchor: anchor.der, ...fingerprints },
    signerNamesList: answer.issued.some(({ certificate }) => certificate.extensions.has(OID.crlDistributionPoints)),
  }
}

export function noteUnexamined(log: CheckLog): void {
  log.note('issuer_trusted', 'skipped', 'not examined: an earlier credential of the response had failed')
}

export type StatusReference =
  | {
      readonly kind: 'list'
      readonly source: StatusSource
      readonly index: number
      readonly certificate: Uint8Array | null
    }
  | {
      readonly kind: 'identifier'
      readonly source: StatusSource
      readonly id: Uint8Array
      readonly certificate: Uint8Array | null
    }
  | {
      readonly kind: 'crl'
      readonly source: StatusSource
      readonly serial: Uint8Array
      /** The certificate that issued this one: only its CRL counts. null if it is unknown. */
      readonly authority: Certificate | null
    }

/** Why a check failed, and the rejection that follows. The detail is safe to show. */
export interface Fault {
  readonly code: RejectionCode
  readonly detail: string
}

/** Collects checks in order. The first failure names the rejection. */
export class CheckLog {
  readonly checks: Check[] = []
  failure: { code: RejectionCode; message: string } | null = null

  /** A log that continues another one without changing it. */
  static continuing(earlier: Pick<Examination, 'checks' | 'failure'>): CheckLog {
    const log = new CheckLog()
    log.checks.push(...earlier.checks)
    log.failure = earlier.failure
    return log
  }

  pass(check: CheckName): void {
    this.checks.push({ check, status: 'pass' })
  }

  fail(check: CheckName, code: RejectionCode, detail: string): void {
    this.checks.push({ check, status: 'fail', detail })
    this.failure ??= { code, message: detail }
  }

  /** Notes a check that neither passed nor failed, and why. */
  note(check: CheckName, status: 'warning' | 'skipped' | 'not_provable', detail: string): void {
    this.checks.push({ check, status, detail })
  }

  /** Rejects, because a proof cannot show this and it is required. */
  refuseUnprovable(check: CheckName, { code, detail }: Fault): void {
    this.note(check, 'not_provable', detail)
    this.failure ??= { code, message: detail }
  }

  /** Passes if there is no fault; returns whether it passed. */
  judge(check: CheckName, fault: Fault | null): boolean {
    if (fault === null) this.pass(check)
    else this.fail(check, fault.code, fault.detail)
    return fault === null
  }

  /** Passes if the value is present, and returns it. */
  require<Value>(check: CheckName, value: Value | null, fault: Fault): Value | null {
    this.judge(check, value === null ? fault : null)
    return value
  }
}
