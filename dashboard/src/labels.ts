// What claims and documents are called, in the reader's language.

import type { Labels } from '../../labels/catalogue.ts'
import { de } from '../../labels/de.ts'
import { en } from '../../labels/en.ts'
import { usePreferences } from './preferences.tsx'

const LABELS = { en, de }

export const useLabels = (): Labels => LABELS[usePreferences().language]
