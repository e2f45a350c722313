// Builds the evidence bundle: request, answer and everything that the verdict depends on, encrypted to the merchant.

import type { Json } from '@vidimus/engine'
import { contentInEffect, type TenantSettings } from '../../../core/tenants/domain/settings.ts'
import type { CredentialEvidence } from '../../../core/verifications/domain/result.ts'
import type { VerificationResult } from '../../../core/verifications/domain/verification.ts'
import type { Instant } from '../../../platform/world.ts'
import type { CredentialFacts } from '../../transparency/index.ts'
import type { BundleContent } from './bundle-content.ts'

export const EVIDENCE_TYPE = 'vidimus-evidence+jwe'
/** A bundle that the merchant has not collected by then is deleted. */
export const EVIDENCE_KEPT_MS = 86_400_000
/** Lists that would exceed this size are included only as a hash. */
export const LISTS_BYTES_MAX = 2 * 1024 * 1024
export const BASIS_LENGTH = { min: 10, max: 1000 } as const

/** A bundle requires a recorded legal basis, a result key of the merchant, and content that is kept. */
export function makesEvidence(
  verification: {
    readonly keepsEvidence: boolean
    readonly resultKey: object | null
    readonly settings: Pick<TenantSettings, 'content' | 'forwardOnly'>
  },
  forwardEverywhere: boolean,
): boolean {
  const kept = contentInEffect(verification.settings, forwardEverywhere) === 'keep'
  return verification.keepsEvidence && verification.resultKey !== null && kept
}

/** The decrypted response: a `vp_token`, or the bytes of an ISO DeviceResponse. */
type ShownResponse = { readonly vpToken: Json } | { readonly deviceResponse: Uint8Array }

export interface BundleFacts {
  readonly id: string
  readonly at: Instant
  /** The request as sent; null if it was sent before bundles were turned on. */
  readonly request: string | null
  readonly response: ShownResponse
  readonly result: VerificationResult
  /** One for each credential of the result, in order. */
  readonly trustEvidence: readonly CredentialEvidence[]
  readonly credentials: readonly CredentialFacts[]
}

export function contentOf({
  id,
  at,
  request,
  response,
  result,
  trustEvidence,
  credentials,
}: BundleFacts): BundleContent {
  return {
    version: 1,
    verification: id,
    at,
    request,
    response:
      'vpToken' in response
        ? { vp_token: response.vpToken }
        : { device_response: new Uint8Array(response.deviceResponse) },
    result: result.outcome === 'completed' ? { claims: result.claims, credentials: result.credentials } : result,
    trust: credentials.map(({ checks: _, ...facts }, i) => ({ ...facts, ...certificatesOf(trustEvidence[i]) })),
    lists: listsOf(trustEvidence),
  }
}

function certificatesOf(trustEvidence: CredentialEvidence | undefined): object {
  const signer = trustEvidence?.signer ?? null
  if (signer === null) return {}
  return { issuer_cert: new Uint8Array(signer.certificate), anchor: new Uint8Array(signer.anchor) }
}

/** Each list once, smallest first, as long as they fit. */
function listsOf(trustEvidence: readonly CredentialEvidence[]): readonly object[] {
  const used = new Map(trustEvidence.flatMap(({ lists }) => lists).map((list) => [list.sha256, list]))
  const smallestFirst = [...used].sort(([, a], [, b]) => a.bytes.length - b.bytes.length)
  let left = LISTS_BYTES_MAX
  return smallestFirst.map(([sha256, { uri, kind, bytes }]) => {
    left -= bytes.length
    const content = left >= 0 ? { bytes: new Uint8Array(bytes) } : {}
    return { uri, kind, sha256, ...content }
  })
}
