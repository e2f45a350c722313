// Defines the channel of OpenID4VP through the Digital Credentials API of a browser.

import type { ChannelRecord } from '../record.ts'

export const dcApi: ChannelRecord<'dc_api'> = {
  name: 'dc_api',
  label: { en: 'Browser (OpenID4VP)', de: 'Browser (OpenID4VP)' },
  binding: 'dc_api',
  asks: 'offer',
  usesResponseKey: true,
  mayAskProofs: false,
  namesRegistration: true,
  leadsToHostedPage: false,
  countedAs: 'dc_api',
}
