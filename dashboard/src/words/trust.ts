// The words of what owners change of trust in every language, loaded with its page.

import { deTrust } from './de/trust.ts'
import { enTrust } from './en/trust.ts'

export const trustWords = { en: enTrust, de: deTrust }
