// Renders the diagnostics of a verification, without its content: sent requests, the answer's channel, the outcome of each check.

import type { AnswerChannel } from '../../channels/table.ts'
import type { BoundBy } from './browser-binding.ts'
import type { CredentialChecks } from './checks.ts'
import { renderSentRequest, type SentRequest } from './sent-requests.ts'
import type { VerificationStatus } from './verification.ts'

export interface Diagnostics {
  readonly id: string
  readonly status: VerificationStatus
  /** null: no answer yet, or an answer to an earlier release. */
  readonly channel: AnswerChannel | null
  /** How the answer was bound to the browser that started the verification; null: not bound, or not yet. */
  readonly binding: BoundBy | null
  /** For each wallet that fetched the request object: what it got, or why it got nothing. */
  readonly requests: readonly SentRequest[]
  /** Empty: no credential was presented. null: deleted, or answered to an earlier release. */
  readonly credentials: readonly CredentialChecks[] | null
}

export function renderDiagnostics({ id, status, channel, binding, requests, credentials }: Diagnostics) {
  return {
    id,
    status,
    channel,
    binding,
    requests: requests.map(renderSentRequest),
    credentials:
      credentials?.map(({ query, format, checks }) => ({
        query,
        format,
        checks: Object.entries(checks).map(([check, outcome]) => ({ check, outcome })),
      })) ?? null,
  }
}
