// Decides from age claims or a birth date whether a holder has reached an age; undefined if neither says so.

import type { Json } from '@vidimus/engine'
import type { Birth } from '@vidimus/engine/claims'

/** The path of an `age_over_NN`, and its NN. */
export interface AgeSource {
  readonly credential: string
  readonly path: readonly string[]
  readonly age: number
}

interface AgeEvidence {
  readonly flags: readonly { readonly age: number; readonly value: Json | undefined }[]
  readonly births: readonly Birth[]
}

/**
 * ISO/IEC 18013-5 §7.2.5: `true` for this age or a higher one proves the age, `false` for this age or a lower one
 * disproves it. A disproof wins. A partly unknown birth date counts as its latest possible day, and `false` from it
 * only if nothing else decides.
 */
export function ageAtLeast(age: number, { flags, births }: AgeEvidence): boolean | undefined {
  const stated = flags.flatMap((flag) => {
    if (flag.value === true && flag.age >= age) return [true]
    return flag.value === false && flag.age <= age ? [false] : []
  })
  const computed = births.map((birth) => ({ whole: birth.whole, answer: birth.age >= age }))
  const certain = [...stated, ...computed.flatMap(({ whole, answer }) => (whole || answer ? [answer] : []))]
  if (certain.length > 0) return !certain.includes(false)
  return computed.length > 0 ? false : undefined
}
