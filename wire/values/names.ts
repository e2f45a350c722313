// Defines limits and patterns of names in bodies.

/** For names of keys, devices, endpoints and other things that people name. */
export const NAME_LENGTH_MAX = 64

/**
 * Excludes control characters and lone surrogates, which the store refuses. A JSON Schema pattern with the flag `u`.
 * Uses ranges, because not every implementation knows the names of character classes.
 */
export const LINE_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]+$'

/** A line of text without control characters. */
export const WITHOUT_CONTROLS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$'
