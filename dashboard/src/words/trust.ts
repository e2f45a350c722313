// The words of the trust page in every language, loaded with it.

import { deTrust } from './de/trust.ts'
import { enTrust } from './en/trust.ts'

export const trustWords = { en: enTrust, de: deTrust }
