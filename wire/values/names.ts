// Closed lists and limits of bodies: names.

/** For names of keys, devices, endpoints and so on. */
export const NAME_LENGTH_MAX = 64

/**
 * No control characters and no lone surrogates: the store accepts neither. A JSON Schema pattern with the flag `u`, with ranges because
 * fewer readers know names of character classes.
 */
export const LINE_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]+$'

/** A line of text without control characters. */
export const WITHOUT_CONTROLS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$'
