// Compiles validators and serializers from the routes' schemas.

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import fastJson from 'fast-json-stringify'
import type { FastifyInstance, FastifySchema } from 'fastify'

interface Route {
  readonly schema: FastifySchema
  readonly httpPart?: string
}

/** When validators and serializers are compiled. `at start`: a faulty schema makes the start fail. */
export type WhenCompiled = 'at start' | 'at first use'

/** Shared by the process, so that a schema of many routes is compiled once. The serializers are shared as well. */
const ajv = createAjv()
const serializers = new WeakMap<object, (value: unknown) => string>()

/** Never rewrites input, except that digits in a query string become the integer that the schema requires. */
export function addValidation(app: FastifyInstance, when: WhenCompiled): void {
  app.setValidatorCompiler(({ schema, httpPart }: Route) => {
    let compiled: ValidateFunction | null = null
    const validator = () => {
      compiled ??= ajv.compile(schema as object)
      return compiled
    }
    if (when === 'at start') validator()
    return (value: unknown) => {
      const validate = validator()
      const judged = httpPart === 'querystring' ? withIntegers(schema, value) : value
      if (validate(judged)) return { value: judged }
      return {
        error: Object.assign(new Error('invalid'), {
          validation: (validate.errors ?? []).map(withAllowed),
          validationContext: httpPart,
        }),
      }
    }
  })
  app.setSerializerCompiler(({ schema }: Route) =>
    when === 'at start' ? serializerOf(schema) : (value: unknown) => serializerOf(schema)(value),
  )
}

function createAjv(): Ajv {
  const ajv = new Ajv({
    allErrors: false,
    // For `withAllowed`, which drops the value.
    verbose: true,
    strict: true,
    removeAdditional: false,
    coerceTypes: false,
    useDefaults: false,
  })
  addFormats.default(ajv)
  // Only for the OpenAPI document. The use case enforces the rule.
  ajv.addKeyword({ keyword: 'exactlyOneOf', schemaType: 'array' })
  return ajv
}

/** Adds the members that the object may have. Drops the value. */
function withAllowed({ data: _value, schema: _schema, parentSchema, ...error }: ErrorObject) {
  return { ...error, params: { ...error.params, allowed: Object.keys(parentSchema?.properties ?? {}) } }
}

function serializerOf(schema: object): (value: unknown) => string {
  const known = serializers.get(schema) ?? fastJson(schema)
  serializers.set(schema, known)
  return known
}

function withIntegers(schema: unknown, value: unknown): unknown {
  const properties = (schema as { properties?: Record<string, { type?: string }> }).properties ?? {}
  const entries = Object.entries(value as Record<string, unknown>).map(([name, text]) => {
    const isInteger = properties[name]?.type === 'integer' && typeof text === 'string' && /^\d{1,15}$/.test(text)
    return [name, isInteger ? Number(text) : text]
  })
  return Object.fromEntries(entries)
}
