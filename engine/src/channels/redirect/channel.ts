// The record of the channel "redirect": OpenID4VP by link or QR code. The wallet posts its answer to us.

import type { ChannelRecord } from '../record.ts'
import { thumbprintIn, transcriptOf } from '../transcript.ts'

interface RedirectChannel {
  readonly kind: 'redirect'
  /** The full client_id with its prefix. */
  readonly clientId: string
  /** The exact response_uri of the request object. */
  readonly responseUri: string
}

export const redirect: ChannelRecord<RedirectChannel> = {
  kind: 'redirect',
  requireBinding: ({ clientId, responseUri }) => {
    if (clientId === '' || responseUri === '') throw new Error('bug: the request has no client_id or no response_uri')
  },
  audiences: ({ clientId }) => [clientId],
  transcripts: ({ clientId, responseUri }, handover) => [
    transcriptOf('OpenID4VPHandover', clientId, handover.nonce, thumbprintIn(handover), responseUri),
  ],
  responseMode: 'direct_post',
  hasReaderKey: true,
  presents: 'vp_token',
  carriesTransaction: true,
}
