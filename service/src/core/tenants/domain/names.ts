// What people may call things: one line that can be read.

/** Of keys, devices, endpoints and the like. */
export const NAME_LENGTH_MAX = 64
export const TENANT_NAME_LENGTH_MAX = 100

/**
 * Neither control characters nor halves of characters: they have no place in a label, and the store takes neither. As JSON Schema
 * has it, with the flag `u`; in ranges, which more readers of it know than the names of classes.
 */
export const LINE_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]+$'
const LINE = new RegExp(LINE_PATTERN, 'u')

/** One line of at least one character, counted as people count. */
export function isLine(text: string, lengthMax: number): boolean {
  return LINE.test(text) && [...text].length <= lengthMax
}
