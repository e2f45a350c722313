// Collects the checks and facts of one presented credential. Formats produce them; verify.ts judges them.

import type { SentRequest, StatusSource, Trust, ZkStatement } from './expected.ts'
import type { Budget } from './limits.ts'
import type { CredentialQueryBase } from './openid4vp/credential-query.ts'
import type { Certificate } from './trust/certificate.ts'
import type { ChainAnswer } from './trust/chain.ts'
import { OID } from './trust/extensions.ts'
import type { Check, CheckName, Confirmation, Issuer, JsonObject, RejectionCode, TrustEvidence } from './verdict.ts'
import { NOTHING_WITHHELD, type Withheld } from './withheld.ts'

/** What a presentation is checked against: its query, our request, our trust. Also the remaining budget. */
export interface Demand<Query extends CredentialQueryBase = CredentialQueryBase> {
  readonly query: Query
  readonly expected: SentRequest
  readonly trust: Trust
  readonly budget: Budget
}

export interface Examination {
  readonly queryId: string
  /** The signed vct or docType; empty while it is unknown. */
  readonly type: string
  readonly issuer: Issuer
  readonly checks: readonly Check[]
  /** The rejection of the first failed check; null if no check failed. */
  readonly failure: { readonly code: RejectionCode; readonly message: string } | null
  /** Every disclosed claim that the issuer signed; null after a failed check. */
  readonly claims: JsonObject | null
  /** What the holder withheld from `claims`. */
  readonly withheld: Withheld
  /** The part that the issuer's signature covers, the same in every presentation of a credential. null until that is verified. */
  readonly signedPart: Uint8Array | null
  /** When the credential expires (exp, validUntil), in unix seconds; null if it never does. */
  readonly expiresAt: number | null
  /** The transaction data that the holder confirmed. */
  readonly confirmed: readonly Confirmation[]
  /** Where to find the status of the credential and of its signer's certificates. */
  readonly status: readonly StatusReference[]
  /** Authority key identifiers of the verified chain, base64url, for trusted_authorities. */
  readonly authorityKeyIds: readonly string[]
  /** The verified certificate of the signer, and its anchor (DER). Status lists and CRLs are checked against them. */
  readonly signer: TrustEvidence['signer']
  /** Whether a certificate on the signer's path names a revocation list. True until the path is known. */
  readonly signerNamesList: boolean
  /** Zero-knowledge proofs, of which one must still be verified. Empty if there are none. */
  readonly proofs: readonly ZkStatement[]
}

/** The part of an examination that a format's module finds by itself. */
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

/** Joins facts and log. After a failure the claims are removed. */
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
      /** The issuer of this certificate, whose CRL is the only one that counts; null if unknown. */
      readonly authority: Certificate | null
    }

/** Why a check failed, and the rejection that follows. `detail` is safe to show. */
export interface Fault {
  readonly code: RejectionCode
  readonly detail: string
}

/** Collects checks in order. The first failed check determines the rejection. */
export class CheckLog {
  readonly checks: Check[] = []
  failure: { code: RejectionCode; message: string } | null = null

  /** Creates a log that continues another log and leaves that one unchanged. */
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

  /** Adds a check that neither passed nor failed, with the reason. */
  note(check: CheckName, status: 'warning' | 'skipped' | 'not_provable', detail: string): void {
    this.checks.push({ check, status, detail })
  }

  /** Rejects, because the check is required and a proof cannot show it. */
  refuseUnprovable(check: CheckName, { code, detail }: Fault): void {
    this.note(check, 'not_provable', detail)
    this.failure ??= { code, message: detail }
  }

  /** Adds a check that passes if there is no fault. Returns whether it passed. */
  judge(check: CheckName, fault: Fault | null): boolean {
    if (fault === null) this.pass(check)
    else this.fail(check, fault.code, fault.detail)
    return fault === null
  }

  /** Adds a check that passes if the value is present. Returns the value. */
  require<Value>(check: CheckName, value: Value | null, fault: Fault): Value | null {
    this.judge(check, value === null ? fault : null)
    return value
  }
}
