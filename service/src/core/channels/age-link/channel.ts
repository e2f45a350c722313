// The link of the EU age profile: a whole request that nobody signs, for an age alone. Answered as a redirect is.

import type { ChannelRecord } from '../record.ts'

export const ageLink: ChannelRecord<'age_link'> = {
  name: 'age_link',
  label: { en: 'Age app link', de: 'Link der Alters-App' },
  binding: 'redirect',
  asks: 'age_request',
  usesResponseKey: false,
  namesRegistration: false,
  leadsToHostedPage: false,
  countedAs: 'same_device',
}
