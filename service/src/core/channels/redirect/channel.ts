// Defines the channel of OpenID4VP by a link or a QR code.

import type { ChannelRecord } from '../record.ts'

export const redirect: ChannelRecord<'redirect'> = {
  name: 'redirect',
  label: { en: 'Link or QR code', de: 'Link oder QR-Code' },
  binding: 'redirect',
  asks: 'request_object',
  usesResponseKey: true,
  mayAskProofs: true,
  namesRegistration: true,
  leadsToHostedPage: true,
  countedAs: 'by_device',
}
