// What claims and documents are called, in the reader's language.

import { documentLabel, type Labels } from '../../labels/catalogue.ts'
import { de } from '../../labels/de.ts'
import { en } from '../../labels/en.ts'
import { usePreferences } from './preferences.tsx'

const LABELS = { en, de }

export const useLabels = (): Labels => LABELS[usePreferences().language]

const FORMATS: Readonly<Record<string, string>> = { 'dc+sd-jwt': 'SD-JWT VC', mso_mdoc: 'mdoc' }

/** What somebody vouches for, `format:type`; one that has no name here goes by its own. */
export function vouchedLabel(labels: Labels, vouched: string): string {
  const at = vouched.indexOf(':')
  const [format, type] = [vouched.slice(0, at), vouched.slice(at + 1)]
  const name = documentLabel(labels, type)
  return name === null ? vouched : `${name} · ${FORMATS[format] ?? format}`
}
