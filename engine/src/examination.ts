// The examination of one presented credential: the log of checks, and what they proved so far.
// A format (formats/) produces it; verify.ts judges it.

import type { SentRequest, StatusSource, Trust, ZkStatement } from './expected.ts'
import type { Budget } from './limits.ts'
import type { CredentialQueryBase } from './openid4vp/credential-query.ts'
import type { ChainAnswer } from './trust/chain.ts'
import type { Check, CheckName, Confirmation, Grounds, Issuer, JsonObject, RejectionCode } from './verdict.ts'
import { NOTHING_WITHHELD, type Withheld } from './withheld.ts'

/** What one presentation is held against: the query it answers, our request, our trust; and what its response may still cost. */
export interface Demand<Query extends CredentialQueryBase = CredentialQueryBase> {
  readonly query: Query
  readonly expected: SentRequest
  readonly trust: Trust
  readonly budget: Budget
}

export interface Examination {
  readonly queryId: string
  /** vct or docType as signed; empty while nothing is known of it. */
  readonly type: string
  readonly issuer: Issuer
  readonly checks: readonly Check[]
  /** What the first failed check means for the whole; null when none failed. */
  readonly failure: { readonly code: RejectionCode; readonly message: string } | null
  /** Every issuer-signed claim that was disclosed; null as soon as one check failed. */
  readonly claims: JsonObject | null
  /** What the holder kept back from these claims. */
  readonly withheld: Withheld
  /** What the issuer's signature covers: the same in every presentation of one credential. Null until it holds. */
  readonly signedPart: Uint8Array | null
  /** When the credential ends by itself (exp, validUntil), in unix seconds; null when it never does. */
  readonly expiresAt: number | null
  /** The transaction data that its holder said yes to. */
  readonly confirmed: readonly Confirmation[]
  /** Where the issuer says the credential's and the signer's status stand. */
  readonly status: readonly StatusReference[]
  /** Key identifiers (base64url) of the authority key identifiers in the verified chain, for trusted_authorities. */
  readonly authorityKeyIds: readonly string[]
  /** The verified signer certificate and its issuing anchor (DER), which status lists and CRLs are checked against. */
  readonly signer: Grounds['signer']
  /** What is still to be proved, of which one suffices; empty where nothing is. */
  readonly proofs: readonly ZkStatement[]
}

/** What a format module finds out by itself. */
export type Facts = Omit<Examination, 'queryId' | 'checks' | 'failure'>

/** What is known of something that could not be read. */
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
  proofs: [],
}

/** The facts with the log they were found under. No claims leave it after a failure. */
export function examined(
  { id }: Pick<CredentialQueryBase, 'id'>,
  facts: Facts,
  { checks, failure }: CheckLog,
): Examination {
  return { queryId: id, ...facts, checks, failure, claims: failure === null ? facts.claims : null }
}

export function provenance(answer: ChainAnswer): Pick<Facts, 'authorityKeyIds' | 'signer'> {
  if (answer.outcome !== 'trusted') return { authorityKeyIds: [], signer: null }
  const { signer, anchor, authorityKeyIds } = answer
  const fingerprints = { fingerprint: signer.fingerprint, anchorFingerprint: anchor.fingerprint }
  return { authorityKeyIds, signer: { certificate: signer.der, anchor: anchor.der, ...fingerprints } }
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
      /** DER of the certificate that issued this one: only its CRL counts. Null where it is not at hand. */
      readonly authority: Uint8Array | null
    }

/** Why a check failed, and what that means for the whole. The detail is safe to show. */
export interface Fault {
  readonly code: RejectionCode
  readonly detail: string
}

/** Collects checks in order; the first failure is the one that names the rejection. */
export class CheckLog {
  readonly checks: Check[] = []
  failure: { code: RejectionCode; message: string } | null = null

  /** A log that goes on from another one without changing it. */
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

  /** What neither passed nor failed, and why. */
  note(check: CheckName, status: 'warning' | 'skipped' | 'not_provable', detail: string): void {
    this.checks.push({ check, status, detail })
  }

  /** A proof cannot show it, and without it nothing is accepted. */
  refuseUnprovable(check: CheckName, { code, detail }: Fault): void {
    this.note(check, 'not_provable', detail)
    this.failure ??= { code, message: detail }
  }

  /** Passes where there is no fault; says whether it passed. */
  judge(check: CheckName, fault: Fault | null): boolean {
    if (fault === null) this.pass(check)
    else this.fail(check, fault.code, fault.detail)
    return fault === null
  }

  /** Passes where the value is there, and hands it on. */
  require<Value>(check: CheckName, value: Value | null, fault: Fault): Value | null {
    this.judge(check, value === null ? fault : null)
    return value
  }
}
