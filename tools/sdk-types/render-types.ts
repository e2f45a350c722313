// Renders schemas of wire/ as TypeScript types with comments; refuses shapes it does not know.

export interface Schema {
  readonly $id?: string
  readonly type?: string
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
}

/** Renders each schema under its name, after the named schemas that it refers to. */
export function renderTypes(schemas: Readonly<Record<string, Schema>>): string {
  const named = new Map<string, Schema>()
  for (const schema of Object.values(schemas)) collectNamed(schema, named)
  for (const [name, schema] of Object.entries(schemas)) named.set(name, schema)
  return [...named].map(([name, schema]) => renderType(name, schema)).join('\n')
}

function collectNamed(schema: Schema, named: Map<string, Schema>): void {
  const { $id, anyOf = [], items, properties = {}, patternProperties = {}, additionalProperties } = schema
  if ($id !== undefined) named.set($id, schema)
  const parts = [...anyOf, ...Object.values(properties), ...Object.values(patternProperties)]
  if (items !== undefined) parts.push(items)
  if (typeof additionalProperties === 'object') parts.push(additionalProperties)
  for (const part of parts) collectNamed(part, named)
}

function renderType(name: string, schema: Schema): string {
  const head = schema.properties === undefined ? `export type ${name} =` : `export interface ${name}`
  return `${comment(schema, '')}${head} ${shapeText(schema, '')}\n`
}

const text = (schema: Schema, indent: string): string => schema.$id ?? shapeText(schema, indent)

function shapeText(schema: Schema, indent: string): string {
  if (schema.const !== undefined) return typeof schema.const === 'string' ? `'${schema.const}'` : String(schema.const)
  if (schema.anyOf !== undefined) return schema.anyOf.map((part) => text(part, indent)).join(' | ')
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return arrayText(schema.items ?? {}, indent)
    case 'object':
      return objectText(schema, indent)
    case undefined:
      return 'unknown'
    default:
      throw new Error(`a schema of type ${schema.type} cannot be rendered yet`)
  }
}

function arrayText(items: Schema, indent: string): string {
  const item = text(items, indent)
  return items.anyOf === undefined || items.$id !== undefined ? `${item}[]` : `(${item})[]`
}

function objectText(schema: Schema, indent: string): string {
  const { properties = {}, required = [], patternProperties, additionalProperties } = schema
  const members = Object.entries(properties)
  if (members.length === 0) {
    const [values] = Object.values(patternProperties ?? {})
    const value = typeof additionalProperties === 'object' ? additionalProperties : values
    return `Record<string, ${value === undefined ? 'unknown' : text(value, indent)}>`
  }
  const inner = `${indent}  `
  const lines = members.map(
    ([name, member]) =>
      `${comment(member, inner)}${inner}${name}${required.includes(name) ? '' : '?'}: ${text(member, inner)}`,
  )
  return `{\n${lines.join('\n')}\n${indent}}`
}

function comment({ description }: Schema, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '*\\/')} */\n`
}
