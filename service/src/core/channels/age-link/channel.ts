// Defines the channel of the EU age profile: its link is a complete, unsigned request for an age. Wallets answer as on the redirect channel.

import type { ChannelRecord } from '../record.ts'

export const ageLink: ChannelRecord<'age_link'> = {
  name: 'age_link',
  label: { en: 'Age app link', de: 'Link der Alters-App' },
  binding: 'redirect',
  asks: 'age_request',
  usesResponseKey: false,
  mayAskProofs: false,
  namesRegistration: false,
  leadsToHostedPage: false,
  countedAs: 'same_device',
}
