// Lists the elements of an mdoc by their names.

import { isJsonObject } from '../../json.ts'
import type { Json, JsonObject } from '../../verdict.ts'

/** Returns elements without their namespaces. A name that is not a namespace of `original` is a derived value. */
export function namedElements(claims: JsonObject, original: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries<Json>(claims).flatMap(([name, value]): (readonly [string, Json])[] =>
    Object.hasOwn(original, name) && isJsonObject(value) ? Object.entries<Json>(value) : [[name, value]],
  )
}
