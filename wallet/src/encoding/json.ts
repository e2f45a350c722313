// Defines JSON as a type, with two type guards.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }
export type JsonObject = { readonly [member: string]: Json }

export function isObject(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object's own member; never an inherited one. */
export function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
