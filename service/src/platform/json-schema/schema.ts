// Parses a subset of JSON Schema. Checking a value costs at most the size of the schema times that of the value.

export type JsonType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'
export type Format = 'date' | 'date-time' | 'uri' | 'currency'

/** Has no `$ref`, which fetches, and no `pattern`, whose author decides the running time. Refuses unknown keywords. */
export interface Schema {
  readonly types?: readonly JsonType[]
  readonly members?: ReadonlyMap<string, Schema>
  readonly required?: readonly string[]
  /** False: only the members of `members` are allowed. */
  readonly additional?: boolean
  readonly items?: Schema
  readonly values?: readonly unknown[]
  readonly format?: Format
  /** `length`: characters of a text. `count`: elements of an array. `range`: the value of a number. */
  readonly length?: Range
  readonly count?: Range
  readonly range?: Range & { readonly above?: number; readonly below?: number }
  readonly anyOf?: readonly Schema[]
  readonly not?: Schema
}

interface Range {
  readonly min?: number
  readonly max?: number
}

export const SCHEMA_MAX = { bytes: 16 * 1024, nodes: 300, depth: 10, members: 100, values: 100 } as const

export class InvalidSchema extends Error {
  override readonly name = 'InvalidSchema'

  constructor(path: string, reason: string) {
    super(`${path}: ${reason}`)
  }
}

/** Throws InvalidSchema. */
export function readSchema(json: unknown): Schema {
  if (Buffer.byteLength(JSON.stringify(json) ?? '') > SCHEMA_MAX.bytes)
    throw new InvalidSchema('schema', `must not be longer than ${SCHEMA_MAX.bytes} bytes`)
  return readNode(json, { path: 'schema', depth: 0, count: { nodes: 0 } })
}

interface Position {
  readonly path: string
  readonly depth: number
  readonly count: { nodes: number }
}

const TYPES: readonly string[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']
const FORMATS: readonly string[] = ['date', 'date-time', 'uri']
/** Keywords with texts for people, which check nothing. */
const ANNOTATIONS = new Set(['title', 'description', '$schema', '$id', '$comment', 'examples'])

type Reading = (value: unknown, position: Position) => Partial<Schema>

const READERS: Readonly<Record<string, Reading>> = {
  type: (value, { path }) => {
    const types = Array.isArray(value) ? value : [value]
    if (types.length === 0 || !types.every((type) => TYPES.includes(type))) throw wrong(path, 'names no type of JSON')
    return { types: types as JsonType[] }
  },
  properties: (value, position) => {
    const members = Object.entries(objectOf(value, position.path))
    if (members.length > SCHEMA_MAX.members) throw wrong(position.path, 'has too many members')
    return { members: new Map(members.map(([name, one]) => [name, readNode(one, below(position, name))])) }
  },
  required: (value, { path }) => ({ required: textsOf(value, path) }),
  additionalProperties: (value, { path }) => {
    if (typeof value !== 'boolean') throw wrong(path, 'must be true or false')
    return { additional: value }
  },
  items: (value, position) => ({ items: readNode(value, below(position, '')) }),
  enum: (value, { path }) => ({ values: valuesOf(value, path) }),
  const: (value, { path }) => ({ values: valuesOf([value], path) }),
  format: (value, { path }) => {
    if (!FORMATS.includes(String(value))) throw wrong(path, `must be one of ${FORMATS.join(', ')}`)
    return { format: value as Format }
  },
  anyOf: (value, position) => {
    if (!Array.isArray(value) || value.length === 0) throw wrong(position.path, 'must be a list of schemas')
    return { anyOf: value.map((one, i) => readNode(one, below(position, String(i)))) }
  },
  not: (value, position) => ({ not: readNode(value, below(position, '')) }),
}

const BOUNDS: Readonly<Record<string, readonly ['length' | 'count' | 'range', 'min' | 'max' | 'above' | 'below']>> = {
  minLength: ['length', 'min'],
  maxLength: ['length', 'max'],
  minItems: ['count', 'min'],
  maxItems: ['count', 'max'],
  minimum: ['range', 'min'],
  maximum: ['range', 'max'],
  exclusiveMinimum: ['range', 'above'],
  exclusiveMaximum: ['range', 'below'],
}

function readNode(json: unknown, position: Position): Schema {
  const { path, depth, count } = position
  count.nodes += 1
  if (count.nodes > SCHEMA_MAX.nodes) throw wrong(path, `a schema has at most ${SCHEMA_MAX.nodes} parts`)
  if (depth > SCHEMA_MAX.depth) throw wrong(path, `a schema is at most ${SCHEMA_MAX.depth} deep`)
  let schema: Schema = {}
  for (const [keyword, value] of Object.entries(objectOf(json, path))) {
    if (ANNOTATIONS.has(keyword)) continue
    const at = { ...position, path: `${path}.${shown(keyword)}` }
    const bound = Object.hasOwn(BOUNDS, keyword) ? BOUNDS[keyword] : undefined
    const read = Object.hasOwn(READERS, keyword) ? READERS[keyword] : undefined
    if (bound !== undefined) {
      const [what, side] = bound
      schema = { ...schema, [what]: { ...schema[what], [side]: boundOf(value, at.path, what !== 'range') } }
    } else if (read !== undefined) schema = { ...schema, ...read(value, at) }
    else throw wrong(at.path, 'this keyword is not supported')
  }
  return schema
}

const below = (position: Position, name: string): Position => ({
  ...position,
  path: name === '' ? position.path : `${position.path}.${shown(name)}`,
  depth: position.depth + 1,
})
const wrong = (path: string, reason: string) => new InvalidSchema(path, reason)
const shown = (name: string) => name.replace(/[^\x21-\x7e]/g, '?').slice(0, 64)

function objectOf(json: unknown, path: string): object {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw wrong(path, 'must be an object')
  return json
}

function textsOf(json: unknown, path: string): readonly string[] {
  if (!Array.isArray(json) || json.length > SCHEMA_MAX.members || !json.every((one) => typeof one === 'string'))
    throw wrong(path, 'must be a list of names')
  return json
}

/** Texts, numbers, true, false and null, because equality is simple for them. */
function valuesOf(json: unknown, path: string): readonly unknown[] {
  const isPlain = (one: unknown) => one === null || ['string', 'number', 'boolean'].includes(typeof one)
  if (!Array.isArray(json) || json.length === 0 || json.length > SCHEMA_MAX.values || !json.every(isPlain))
    throw wrong(path, `must be 1 to ${SCHEMA_MAX.values} texts, numbers, true, false or null`)
  return json
}

function boundOf(json: unknown, path: string, isCount: boolean): number {
  const fits = typeof json === 'number' && Number.isFinite(json) && (!isCount || (Number.isInteger(json) && json >= 0))
  if (!fits) throw wrong(path, isCount ? 'must be a whole number' : 'must be a number')
  return json
}
