// Parts of the dashboard's requests that many routes take.

import { Type } from 'typebox'

export const Empty = Type.Object({}, { additionalProperties: false })
/** Without control characters, of which the store cannot even be asked for U+0000. */
export const Line = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[^\\p{Cc}\\p{Cs}]+$' })
/** What people call things. */
export const Name = Line(64)
const Id = Line(200)

export const RealmParams = Type.Object({ tenant: Id, environment: Id })
export const RealmAndId = Type.Object({ tenant: Id, environment: Id, id: Id })
export const RealmAndKey = Type.Object({ tenant: Id, environment: Id, key: Id })
export const PAGE_SIZE = 50

export const oneOf = <const T extends readonly (string | number)[]>(...values: T) =>
  Type.Union(values.map((value) => Type.Literal(value as T[number])))
