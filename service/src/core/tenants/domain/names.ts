// Defines the rules for names that people choose: one readable line.

import { LINE_PATTERN } from '../../../../../wire/values/names.ts'

export const TENANT_NAME_LENGTH_MAX = 100

const LINE = new RegExp(LINE_PATTERN, 'u')

/** One line of at least one character. Counts code points, so that an emoji is not two characters. */
export function isLine(text: string, lengthMax: number): boolean {
  return LINE.test(text) && [...text].length <= lengthMax
}
