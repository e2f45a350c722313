// ISO 18013-7 Annex C through the Digital Credentials API: nothing but mdocs travels there.

import { requireOrigins } from '../origin.ts'
import type { ChannelRecord } from '../record.ts'
import { transcriptOf } from '../transcript.ts'

export interface AnnexCChannel {
  readonly kind: 'annex_c'
  readonly origins: readonly string[]
  /** The text that was sent, letter for letter: the transcript is over it, and the nonce is in it. */
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
  // ISO 18013-7 cannot carry it, so a holder asked this way cannot have seen it.
  carriesTransaction: false,
}

/** ISO 18013-7 C.5: over the text of `encryptionInfo` as it was sent, not over its decoded value. */
export function annexCTranscript(encryptionInfo: string, origin: string): Uint8Array {
  return transcriptOf('dcapi', encryptionInfo, origin)
}
