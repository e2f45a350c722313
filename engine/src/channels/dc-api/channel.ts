// OpenID4VP through the Digital Credentials API (Annex A): the platform tells the wallet the page's origin.

import { requireOrigins } from '../origin.ts'
import type { ChannelRecord } from '../record.ts'
import { thumbprintIn, transcriptOf } from '../transcript.ts'

export interface DcApiChannel {
  readonly kind: 'dc_api'
  /** Of the pages that may have asked, as browsers write them: nearly always one. */
  readonly origins: readonly string[]
}

export const dcApi: ChannelRecord<DcApiChannel> = {
  kind: 'dc_api',
  requireBinding: ({ origins }) => requireOrigins(origins),
  // OpenID4VP A.4: the origin, also where the request was signed.
  audiences: ({ origins }) => origins.map((origin) => `origin:${origin}`),
  transcripts: ({ origins }, handover) =>
    origins.map((origin) => transcriptOf('OpenID4VPDCAPIHandover', origin, handover.nonce, thumbprintIn(handover))),
  responseMode: 'dc_api',
  hasReaderKey: true,
  presents: 'vp_token',
  carriesTransaction: true,
}
