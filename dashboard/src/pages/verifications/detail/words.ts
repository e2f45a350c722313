// The words of this page, loaded with it.

import { usePreferences } from '../../../preferences.tsx'
import { de } from './words-de.ts'
import { en, type VerificationWords } from './words-en.ts'

const WORDS = { en, de }

export const useVerificationWords = (): VerificationWords => WORDS[usePreferences().language]
