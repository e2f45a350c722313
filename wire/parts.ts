// Defines parts that schemas share.

import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { LINE_PATTERN, NAME_LENGTH_MAX } from './values/names.ts'

/** An object with exactly these members. */
export const Closed = <T extends TProperties>(members: T) => Type.Object(members, { additionalProperties: false })
/** Read-only, because no code may change an answer. */
export const List = <T extends TSchema>(items: T) => Type.Unsafe<readonly Static<T>[]>(Type.Array(items))
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
export const oneOf = <const T extends readonly (string | number)[]>(...values: T) =>
  Type.Unsafe<T[number]>(Type.Union(values.map((value) => Type.Literal(value))))

export const Text = Type.String()
export const Instant = Type.String({ format: 'date-time' })
export const Day = Type.String({ format: 'date' })
export const Count = Type.Integer({ minimum: 0 })
/** Text without control characters. PostgreSQL refuses U+0000 even in a comparison. */
export const Line = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: LINE_PATTERN })
/** A name that people chose. */
export const Name = Line(NAME_LENGTH_MAX)
/** An object whose members another document defines. */
export const Open = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true })
/** An empty body. */
export const Empty = Closed({})
/** The answer of a change without a result. */
export const Done = Closed({})

/** Languages of hosted pages. */
export const Language = oneOf('en', 'de', 'fr', 'it', 'es', 'nl')

export const Environment = oneOf('test', 'live')
export type Environment = Static<typeof Environment>
