// Defines the templates that ask only whether a holder is old enough.

import type { ClaimsQuery, CredentialQuery } from '@vidimus/engine'
import type { Source } from '../outputs.ts'
import type { Template } from '../template.ts'
import { AGE_PROOF, anyOf, EU_AGE_PROOF, MDL, MDL_MDOC, PID, PID_MDOC, PID_SD_JWT } from './credentials.ts'

/** `higher`: the next age up, requested if the exact one is missing. A holder discloses at most one of the two. */
export function ageTemplate(age: number, higher: number | null): Template {
  const exact = `age_over_${age}`
  const proofs = (namespace: string): ClaimsQuery[] => [
    { id: 'exact', path: [namespace, exact], intent_to_retain: false },
    // Only `true`: not having reached a higher age proves nothing.
    ...(higher === null
      ? []
      : [{ id: 'higher', path: [namespace, `age_over_${higher}`], values: [true], intent_to_retain: false }]),
  ]
  const born = (namespace: string): ClaimsQuery => ({
    id: 'born',
    path: [namespace, 'birth_date'],
    intent_to_retain: false,
  })
  const proofSets = higher === null ? [['exact']] : [['exact'], ['higher']]
  const credentials: CredentialQuery[] = [
    { ...EU_AGE_PROOF, claims: proofs(AGE_PROOF), claim_sets: proofSets },
    { ...MDL_MDOC, claims: [...proofs(MDL), born(MDL)], claim_sets: [...proofSets, ['born']] },
    {
      ...PID_SD_JWT,
      claims: [
        { id: 'exact', path: ['age_equal_or_over', String(age)] },
        { id: 'born', path: ['birthdate'] },
      ],
      claim_sets: [['exact'], ['born']],
    },
    {
      ...PID_MDOC,
      claims: [{ id: 'exact', path: [PID, exact], intent_to_retain: false }, born(PID)],
      claim_sets: [['exact'], ['born']],
    },
  ]
  const flag = (credential: string, path: readonly string[], nn = age) => ({ credential, path, age: nn })
  const flags = [
    flag('age_proof', [AGE_PROOF, exact]),
    ...(higher === null ? [] : [flag('age_proof', [AGE_PROOF, `age_over_${higher}`], higher)]),
    flag('mdl', [MDL, exact]),
    ...(higher === null ? [] : [flag('mdl', [MDL, `age_over_${higher}`], higher)]),
    flag('pid_sd', ['age_equal_or_over', String(age)]),
    flag('pid_mdoc', [PID, exact]),
  ]
  const birthDates: Source[] = [
    { credential: 'mdl', path: [MDL, 'birth_date'] },
    { credential: 'pid_sd', path: ['birthdate'] },
    { credential: 'pid_mdoc', path: [PID, 'birth_date'] },
  ]
  return {
    key: exact,
    title: `${age} or older`,
    description: `Whether a person is at least ${age}. If a wallet can only share a date of birth, we do not keep it.`,
    query: anyOf(credentials),
    outputs: { [exact]: { age_over: age, flags, birth_dates: birthDates } },
  }
}
