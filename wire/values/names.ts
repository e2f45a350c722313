// Closed lists and limits of bodies: names.

/** Of keys, devices, endpoints and the like. */
export const NAME_LENGTH_MAX = 64

/**
 * Neither control characters nor halves of characters: they have no place in a label, and the store takes neither. As JSON Schema
 * has it, with the flag `u`; in ranges, which more readers of it know than the names of classes.
 */
export const LINE_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]+$'

/** A line for people to read: no control character. */
export const WITHOUT_CONTROLS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$'
