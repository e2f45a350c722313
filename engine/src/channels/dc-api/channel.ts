// The record of the channel "dc_api": OpenID4VP through the Digital Credentials API (Annex A).

import { requireOrigins } from '../origin.ts'
import type { ChannelRecord } from '../record.ts'
import { thumbprintIn, transcriptOf } from '../transcript.ts'

export interface DcApiChannel {
  readonly kind: 'dc_api'
  /** The origins of pages that may have asked, as browsers write them. Nearly always there is one. */
  readonly origins: readonly string[]
}

export const dcApi: ChannelRecord<DcApiChannel> = {
  kind: 'dc_api',
  requireBinding: ({ origins }) => requireOrigins(origins),
  // OpenID4VP A.4: the audience is the origin, even for a signed request.
  audiences: ({ origins }) => origins.map((origin) => `origin:${origin}`),
  transcripts: ({ origins }, handover) =>
    origins.map((origin) => transcriptOf('OpenID4VPDCAPIHandover', origin, handover.nonce, thumbprintIn(handover))),
  responseMode: 'dc_api',
  hasReaderKey: true,
  presents: 'vp_token',
  carriesTransaction: true,
}
