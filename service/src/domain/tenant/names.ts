// What people may call things: one line that can be read.

/** Of keys, devices, endpoints and the like. */
export const NAME_LENGTH_MAX = 64
export const TENANT_NAME_LENGTH_MAX = 100

/** As JSON Schema has it; with the flag `u`. */
export const LINE_PATTERN = '^[^\\p{Cc}\\p{Cs}]+$'
const LINE = new RegExp(LINE_PATTERN, 'u')

/** One line of at least one character, counted as people count. */
export function isLine(text: string, lengthMax: number): boolean {
  return LINE.test(text) && [...text].length <= lengthMax
}
