// Names of claims and documents in the reader's language.

import { documentLabel, type Labels } from '../../labels/catalogue.ts'
import { de } from '../../labels/de.ts'
import { en } from '../../labels/en.ts'
import type { Me } from '../../wire/staff.ts'
import { usePreferences } from './preferences.tsx'

const LABELS = { en, de }

export const useLabels = (): Labels => LABELS[usePreferences().language]

type Formats = Me['terms']['formats']

/** Returns the service's label of a format; an unknown format is shown by its own name. */
export const formatLabel = (formats: Formats, format: string): string =>
  formats.find(({ name }) => name === format)?.label ?? format

/** Returns the label of a type that an anchor vouches for (`format:type`); without a label, the type itself. */
export function vouchedLabel(labels: Labels, formats: Formats, vouched: string): string {
  const at = vouched.indexOf(':')
  const [format, type] = [vouched.slice(0, at), vouched.slice(at + 1)]
  const name = documentLabel(labels, type)
  return name === null ? vouched : `${name} · ${formatLabel(formats, format)}`
}
