// Defines the channel of ISO 18013-7 Annex C, through the Digital Credentials API of a browser.

import type { ChannelRecord } from '../record.ts'

export const annexC: ChannelRecord<'annex_c'> = {
  name: 'annex_c',
  label: { en: 'Browser (ISO 18013-7)', de: 'Browser (ISO 18013-7)' },
  binding: 'annex_c',
  asks: 'offer',
  usesResponseKey: false,
  mayAskProofs: true,
  namesRegistration: true,
  leadsToHostedPage: false,
  countedAs: 'dc_api',
}
