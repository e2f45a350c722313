// Reads members of a query. Each function returns a typed value, or throws with the path of the member.

/** A fault in a query. `path` is its position, such as `credentials[0].claims[1].path`. The merchant sees the message. */
export class InvalidQuery extends Error {
  override name = 'InvalidQuery'
  readonly path: string

  constructor(path: string, reason: string) {
    super(path === '' ? reason : `${path}: ${reason}`)
    this.path = path
  }
}

export interface Members {
  readonly path: string
  /** Returns value and path of a member; undefined if it is absent. */
  readonly optional: (name: string) => Field | undefined
  readonly required: (name: string) => Field
}

export interface Field {
  readonly value: unknown
  readonly path: string
}

/** Refuses unknown members, because a misspelt `values` would restrict nothing. */
export function readObject(field: Field, known: readonly string[]): Members {
  const { value, path } = field
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidQuery(path, 'must be an object')
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const optional = (name: string): Field | undefined =>
    Object.hasOwn(value, name) ? { value: Reflect.get(value, name), path: at(name) } : undefined
  for (const name of Object.keys(value)) {
    if (!known.includes(name)) throw new InvalidQuery(at(printable(name)), 'is not a known member')
  }
  return {
    path,
    optional,
    required: (name) => {
      const found = optional(name)
      if (found === undefined) throw new InvalidQuery(at(name), 'is required')
      return found
    },
  }
}

export function readArray<T>(field: Field, itemsMax: number, read: (item: Field) => T): readonly T[] {
  const { value, path } = field
  if (!Array.isArray(value)) throw new InvalidQuery(path, 'must be an array')
  if (value.length === 0) throw new InvalidQuery(path, 'must not be empty')
  if (value.length > itemsMax) throw new InvalidQuery(path, `must have at most ${itemsMax} items`)
  return value.map((item: unknown, i) => read({ value: item, path: `${path}[${i}]` }))
}

export function readText(field: Field, lengthMax: number): string {
  const { value, path } = field
  if (typeof value !== 'string' || value === '') throw new InvalidQuery(path, 'must be a non-empty string')
  if (value.length > lengthMax) throw new InvalidQuery(path, `must have at most ${lengthMax} characters`)
  if (!value.isWellFormed()) throw new InvalidQuery(path, 'must be well-formed Unicode')
  return value
}

/** OpenID4VP §6.1: alphanumeric, underscore or hyphen. */
export function readId(field: Field): string {
  const id = readText(field, 64)
  if (!/^[A-Za-z0-9_-]+$/.test(id)) throw new InvalidQuery(field.path, 'must consist of letters, digits, "_" and "-"')
  return id
}

/**
 * Names presentations by the ids of the queries that they answer: `card`, `card.2`, and `credential.1` for the first one
 * if its query is unknown. No query can have a name with a dot.
 */
export function presentationNames(queryIds: readonly (string | undefined)[]): string[] {
  const counts = new Map<string, number>()
  return queryIds.map((id, at) => {
    if (id === undefined) return `credential.${at + 1}`
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    return count === 1 ? id : `${id}.${count}`
  })
}

export function readFlag(field: Field): boolean {
  if (typeof field.value !== 'boolean') throw new InvalidQuery(field.path, 'must be true or false')
  return field.value
}

/** Ignores absent items. */
export function requireUnique(items: readonly (string | undefined)[], pathOf: (index: number) => string): void {
  const seen = new Set<string>()
  items.forEach((item, i) => {
    if (item === undefined) return
    if (seen.has(item)) throw new InvalidQuery(pathOf(i), 'must not repeat an earlier one')
    seen.add(item)
  })
}

function printable(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '?').slice(0, 64)
}
