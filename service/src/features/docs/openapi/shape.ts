// Converts our schemas to forms that most OpenAPI tools understand: choices as `enum`, named schemas under components.

interface Shape {
  readonly type?: string
  readonly const?: unknown
  readonly [member: string]: unknown
}

/** Notes for the document, which are not part of a schema. */
const NOTES: ReadonlySet<string> = new Set(['produces', 'sends', 'exactlyOneOf'])

/** Writes named schemas once, under components, and references them. */
export function lift(schema: unknown, schemas: Record<string, object>): object {
  const { $id, ...rest } = schema as { $id?: string } & Record<string, unknown>
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(rest)) if (!NOTES.has(name)) body[name] = liftWithin(value, schemas)
  const shape = { ...withChoices(body), ...exactlyOneOf(rest.exactlyOneOf) }
  if ($id === undefined) return shape
  schemas[$id] ??= shape
  return { $ref: `#/components/schemas/${$id}` }
}

function liftWithin(value: unknown, schemas: Record<string, object>): unknown {
  if (Array.isArray(value)) return value.map((item) => liftWithin(item, schemas))
  return typeof value === 'object' && value !== null ? lift(value, schemas) : value
}

/** Turns a union of constants into an `enum`, also if null is one of them. */
function withChoices(body: Record<string, unknown>): Record<string, unknown> {
  const { anyOf, ...rest } = body
  if (!Array.isArray(anyOf) || !anyOf.every(isChoice)) return body
  const types = [...new Set(anyOf.map(({ type }) => type))]
  const choices = anyOf.map((one) => (one.type === 'null' ? null : one.const))
  return { type: types.length === 1 ? types[0] : types, enum: choices, ...rest }
}

const isChoice = (shape: Shape) => shape.const !== undefined || shape.type === 'null'

/** Does not use `oneOf`: next to `properties`, it makes generators drop the properties. */
function exactlyOneOf(names: unknown): object {
  if (!Array.isArray(names)) return {}
  const [first, second] = names as string[]
  return { if: { required: [first] }, else: { required: [second] }, not: { required: [first, second] } }
}
