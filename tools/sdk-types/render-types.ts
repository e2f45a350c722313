// TypeScript text for the OpenAPI documents of ours: named schemas, what each operation takes and gives, and the codes of its
// refusals for the SDK; named schemas and what each route answers for the dashboard. It knows the shapes our schemas use and
// refuses any other, rather than write `unknown` for it.

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
}

const HEADER = `// Written by "node tools/generate-sdk-types.ts" from the service's OpenAPI document. Read it; change the routes.\n`
const ERROR = '#/components/schemas/Error'
/** The routes of merchants and devices (interface specification 9). */
const PREFIX = '/v1/'

export function renderTypes(document: Document): string {
  const operations = operationsOf(document)
  const schemas = renderSchemas(document, operations)
  const table = operations.map((operation) => renderOperation(operation)).join('\n')
  const codes = [...new Set(operations.flatMap(codesOf))].sort()
  const union = `/** Every code a refusal may carry. */\nexport type ErrorCode =\n${codes.map((code) => `  | '${code}'`).join('\n')}`
  return `${[HEADER, ...schemas.map((schema) => `${schema}\n`), `${union}\n`, `/** What each operation takes and gives. */\nexport interface Operations {\n${table}\n}\n`].join('\n')}`
}

const DASHBOARD_HEADER = `// Written by "node tools/generate-dashboard-types.ts" from the schemas of the dashboard's routes. Read it; change the routes.\n`

/** `nameOf`: what the pages call the route of a method and a path. */
export function renderAnswers(document: Document, nameOf: (method: string, path: string) => string): string {
  const routes = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: nameOf(method, path), operation })),
    )
    .filter(({ operation }) => successOf(operation)?.['application/json'] !== undefined)
    .sort((a, b) => a.name.localeCompare(b.name))
  const schemas = renderSchemas(
    document,
    routes.map(({ operation }) => operation),
  )
  const table = routes.map(({ name, operation }) => `  '${name}': ${text(jsonOf(successOf(operation)), '  ')}`)
  const answers = `/** What each route answers. */\nexport interface Answers {\n${table.join('\n')}\n}\n`
  return [DASHBOARD_HEADER, ...schemas.map((schema) => `${schema}\n`), answers].join('\n')
}

function renderSchemas(document: Document, operations: readonly Operation[]): string[] {
  return reachable(document, operations).map((name) => {
    const schema = schemaOf(document, name)
    const isInterface = schema.type === 'object' && schema.properties !== undefined
    const head = isInterface ? `export interface ${name}` : `export type ${name} =`
    return `${comment(schema)}${head} ${text(schema, '')}`
  })
}

function successOf({ responses }: Operation): Content | undefined {
  return Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content
}

function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths)
    .filter(([path]) => path.startsWith(PREFIX))
    .flatMap(([, methods]) => Object.values(methods))
    .sort((a, b) => nameOf(a).localeCompare(nameOf(b)))
}

function nameOf({ operationId }: Operation): string {
  if (operationId === undefined) throw new Error('an operation has no operationId')
  return operationId
}

/** Named schemas that the operations lead to, in order of name; the envelope is the SDK's own business. */
function reachable({ components }: Document, operations: readonly Operation[]): string[] {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { $ref } = value as Schema
    if (typeof $ref === 'string' && $ref !== ERROR && !found.has(refName($ref))) {
      found.add(refName($ref))
      visit(components.schemas[refName($ref)])
    }
    for (const member of Object.values(value)) visit(member)
  }
  visit(operations)
  return [...found].sort()
}

function schemaOf({ components }: Document, name: string): Schema {
  const schema = components.schemas[name]
  if (schema === undefined) throw new Error(`there is no schema ${name}`)
  return schema
}

function renderOperation(operation: Operation): string {
  const { summary, parameters, requestBody } = operation
  const parts = [
    ...['path', 'query'].flatMap((location) => renderParameters(location, parameters)),
    ...(requestBody === undefined ? [] : [`    body: ${text(jsonOf(requestBody.content), '    ')}`]),
    `    answer: ${text(answerOf(successOf(operation)), '    ')}`,
  ]
  return `  /** ${summary ?? nameOf(operation)}. */\n  ${nameOf(operation)}: {\n${parts.join('\n')}\n  }`
}

function renderParameters(location: string, parameters: readonly Parameter[]): string[] {
  const here = parameters.filter((parameter) => parameter.in === location)
  if (here.length === 0) return []
  const members = here.map(
    ({ name, required, schema }) =>
      `${comment(schema, '      ')}      ${name}${required ? '' : '?'}: ${text(schema, '      ')}`,
  )
  return [`    ${location}: {\n${members.join('\n')}\n    }`]
}

/** Receipts and proofs are texts of other types. */
function answerOf(content: Content | undefined): Schema {
  const [only] = Object.values(content ?? {})
  return only?.schema?.type === 'string' ? only.schema : jsonOf(content)
}

function jsonOf(content: Content | undefined): Schema {
  const schema = content?.['application/json']?.schema
  if (schema === undefined) throw new Error('an operation speaks no JSON')
  return schema
}

function codesOf({ responses }: Operation): string[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, { description }]) => [...description.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code ?? ''))
}

function text(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return refName(schema.$ref)
  if (schema.const !== undefined) return typeof schema.const === 'string' ? `'${schema.const}'` : String(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => text({ const: value }, indent)).join(' | ')
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
      throw new Error(`a schema of type ${schema.type} is new here`)
  }
}

function arrayText(items: Schema, indent: string): string {
  const item = text(items, indent)
  return items.anyOf === undefined && items.enum === undefined ? `${item}[]` : `(${item})[]`
}

function objectText(schema: Schema, indent: string): string {
  const { properties = {}, required = [], patternProperties, additionalProperties } = schema
  const members = Object.entries(properties)
  if (members.length === 0) {
    if (additionalProperties === false && patternProperties === undefined) return 'Record<string, never>'
    const [values] = Object.values(patternProperties ?? {})
    const any = typeof additionalProperties === 'object' ? additionalProperties : values
    return `Record<string, ${any === undefined ? 'unknown' : text(any, indent)}>`
  }
  const inner = `${indent}  `
  const lines = members.map(
    ([name, member]) =>
      `${comment(member, inner)}${inner}${name}${required.includes(name) ? '' : '?'}: ${text(member, inner)}`,
  )
  return `{\n${lines.join('\n')}\n${indent}}`
}

function comment({ description }: Schema, indent = ''): string {
  return description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '*\\/')} */\n`
}

function refName(ref: string): string {
  return ref.slice('#/components/schemas/'.length)
}
