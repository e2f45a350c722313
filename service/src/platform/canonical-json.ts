// RFC 8785 (JCS): one text for each JSON value, so that anyone can recompute hashes and fingerprints.

export type CanonicalValue =
  | null
  | boolean
  | number
  | string
  | readonly CanonicalValue[]
  | { readonly [member: string]: CanonicalValue | undefined }

/** Throws if there is no canonical form: non-finite numbers and lone surrogates. Undefined members are left out. */
export function canonicalJson(value: CanonicalValue): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return canonicalNumber(value)
  if (typeof value === 'string') return canonicalString(value)
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`
  const object = value as { readonly [member: string]: CanonicalValue | undefined }
  const members: string[] = []
  // RFC 8785 §3.2.3: sorted by UTF-16 code units, which is how JavaScript compares strings.
  for (const name of Object.keys(object).sort()) {
    const member = object[name]
    if (member !== undefined) members.push(`${canonicalString(name)}:${canonicalJson(member)}`)
  }
  return `{${members.join(',')}}`
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new Error('a number without canonical form')
  return Object.is(value, -0) ? '0' : String(value)
}

function canonicalString(value: string): string {
  if (!value.isWellFormed()) throw new Error('a string without canonical form')
  return JSON.stringify(value)
}
