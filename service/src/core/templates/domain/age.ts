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
  /** null: no date. */
  readonly births: readonly (Birth | null)[]
}

/**
 * ISO/IEC 18013-5 §7.2.5: `true` for this age or a higher one proves the age, `false` for this age or a lower one
 * disproves it. A disproof wins. A partly unknown birth date counts as its latest possible day, and `false` from it
 * only if nothing else decides.
 */
export function ageAtLeast(age: number, { flags, births }: AgeEvidence): boolean | undefined {
  let answer: boolean | undefined
  for (const birth of births) {
    if (birth === null) continue
    if (birth.age < age && birth.whole) return false
    answer = answer === true || birth.age >= age
  }
  for (const flag of flags) {
    if (flag.value === false && flag.age <= age) return false
    if (flag.value === true && flag.age >= age) answer = true
  }
  return answer
}
