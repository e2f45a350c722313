// Parts of the dashboard's requests that many routes take, and of the answers that many give.

import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { Status as StatusWord } from '../../../core/http/verification-schema.ts'
import { REGISTRATION_PROBLEMS } from '../../../core/registrations/domain/problem.ts'
import { LINE_PATTERN, NAME_LENGTH_MAX } from '../../../core/tenants/domain/names.ts'
import { ENVIRONMENTS } from '../../../platform/world.ts'
import { ROLES } from '../domain/person.ts'

export const Empty = Type.Object({}, { additionalProperties: false })
/** Without control characters, of which the store cannot even be asked for U+0000. */
export const Line = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: LINE_PATTERN })
/** What people call things. */
export const Name = Line(NAME_LENGTH_MAX)
const Id = Line(200)

export const RealmParams = Type.Object({ tenant: Id, environment: Id })
export const RealmAndId = Type.Object({ tenant: Id, environment: Id, id: Id })
export const RealmAndKey = Type.Object({ tenant: Id, environment: Id, key: Id })
export const PAGE_SIZE = 50

export const oneOf = <const T extends readonly (string | number)[]>(...values: T) =>
  Type.Unsafe<T[number]>(Type.Union(values.map((value) => Type.Literal(value))))

/** What is answered, under the name that the pages know it by. No member but these: one that is not here fails the tests. */
export const Answer = <T extends TProperties>(name: string, members: T) =>
  Type.Object(members, { $id: name, additionalProperties: false })
/** A part of an answer that needs no name. */
export const Part = <T extends TProperties>(members: T) => Type.Object(members, { additionalProperties: false })
/** Nobody writes into an answer. */
export const List = <T extends TSchema>(items: T) => Type.Unsafe<readonly Static<T>[]>(Type.Array(items))
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const Instant = Type.String({ format: 'date-time' })
export const Count = Type.Integer({ minimum: 0 })
/** Done, and nothing to tell. */
export const Done = Part({})
/** Its members are another document's business. */
export const Open = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

/** Under the name that the pages know it by. */
export const Enumeration = <const T extends readonly (string | number)[]>(name: string, values: T) =>
  Type.Unsafe<T[number]>({ ...oneOf(...values), $id: name })
export const Role = Enumeration('Role', ROLES)
export const Environment = Enumeration('Environment', ENVIRONMENTS)
export const Status = Type.Unsafe<Static<typeof StatusWord>>({ ...StatusWord, $id: 'Status' })
export const Problem = Answer('RegistrationProblem', {
  code: Enumeration('RegistrationProblemCode', REGISTRATION_PROBLEMS),
  values: List(Type.String({ description: 'For the sentence' })),
})
export const RegistrationRefused = Part({ outcome: Type.Literal('refused'), problems: List(Problem) })
/** What live refuses, and test warns of. */
export const Concern = Answer('RegistrationConcern', {
  code: oneOf('not_registered', 'over_asking'),
  reason: Problem,
  intended_use: orNull(Type.String({ description: 'Whose certificate the reason is about' })),
})
