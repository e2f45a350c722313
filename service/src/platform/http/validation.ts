// Validators from the routes' schemas. Input is checked, never rewritten: nothing is coerced, removed or filled in,
// except that digits in a query string become the integer its schema requires.

import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyInstance, FastifySchema } from 'fastify'

interface Route {
  readonly schema: FastifySchema
  readonly httpPart?: string
}

/** When validators are compiled: all at start, so that a faulty schema fails the start; or each at first use. */
export type WhenCompiled = 'at start' | 'at first use'

export function addValidation(app: FastifyInstance, when: WhenCompiled): void {
  const ajv = new Ajv({
    allErrors: false,
    strict: true,
    removeAdditional: false,
    coerceTypes: false,
    useDefaults: false,
  })
  addFormats.default(ajv)
  // For the OpenAPI document only; the use case enforces it.
  ajv.addKeyword({ keyword: 'exactlyOneOf', schemaType: 'array' })
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
        error: Object.assign(new Error('invalid'), { validation: validate.errors ?? [], validationContext: httpPart }),
      }
    }
  })
}

function withIntegers(schema: unknown, value: unknown): unknown {
  const properties = (schema as { properties?: Record<string, { type?: string }> }).properties ?? {}
  const entries = Object.entries(value as Record<string, unknown>).map(([name, text]) => {
    const isInteger = properties[name]?.type === 'integer' && typeof text === 'string' && /^\d{1,15}$/.test(text)
    return [name, isInteger ? Number(text) : text]
  })
  return Object.fromEntries(entries)
}
