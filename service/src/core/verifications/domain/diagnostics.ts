// Diagnostics of a verification, without its content: sent requests, the answer's channel, the outcome of each check.

import type { AnswerChannel } from '../../channels/table.ts'
import type { BoundBy } from './browser-binding.ts'
import type { CredentialChecks } from './checks.ts'
import { renderSentRequest, type SentRequest } from './sent-requests.ts'
import type { VerificationStatus } from './verification.ts'

export interface Diagnostics {
  readonly id: string
  readonly status: VerificationStatus
  /** null: no answer yet, or an earlier release took it. */
  readonly channel: AnswerChannel | null
  /** How the answer was bound to the browser that started it; null: it was not, or not yet. */
  readonly binding: BoundBy | null
  /** What wallets got that fetched the request object, or why they got nothing. */
  readonly requests: readonly SentRequest[]
  /** Empty: no credential was presented. null: deleted, or an earlier release took the answer. */
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
