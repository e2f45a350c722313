// The record of the channel "annex_c": ISO 18013-7 Annex C through the Digital Credentials API. It transports only mdocs.

import { requireOrigins } from '../origin.ts'
import type { ChannelRecord } from '../record.ts'
import { transcriptOf } from '../transcript.ts'

export interface AnnexCChannel {
  readonly kind: 'annex_c'
  readonly origins: readonly string[]
  /** The exact text that was sent. It contains the nonce, and the session transcript covers it. */
  readonly encryptionInfo: string
}

export const annexC: ChannelRecord<AnnexCChannel> = {
  kind: 'annex_c',
  requireBinding: ({ origins, encryptionInfo }) => {
    requireOrigins(origins)
    if (encryptionInfo === '') throw new Error('bug: a request without encryptionInfo')
  },
  audiences: () => [],
  transcripts: ({ origins, encryptionInfo }) => origins.map((origin) => annexCTranscript(encryptionInfo, origin)),
  responseMode: null,
  hasReaderKey: false,
  presents: 'documents',
  // ISO 18013-7 has no transaction data, so the holder cannot have seen any.
  carriesTransaction: false,
}

/** ISO 18013-7 C.5: the transcript covers the text of `encryptionInfo` instead of its decoded value. */
export function annexCTranscript(encryptionInfo: string, origin: string): Uint8Array {
  return transcriptOf('dcapi', encryptionInfo, origin)
}
