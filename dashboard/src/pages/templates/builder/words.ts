// The words of the builder, loaded with it.

import { usePreferences } from '../../../preferences.tsx'
import { de } from './words-de.ts'
import { type BuilderWords, en } from './words-en.ts'

const WORDS = { en, de }

export const useBuilderWords = (): BuilderWords => WORDS[usePreferences().language]
