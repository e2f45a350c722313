// Templates for a person's identity: a choice of fields from a PID or a driving licence.

import type { CredentialQuery } from '@vidimus/engine'
import type { OutputRule, Outputs, Source } from '../outputs.ts'
import type { Template } from '../template.ts'
import { anyOf, kept, MDL, MDL_MDOC, PID, PID_MDOC, PID_SD_JWT } from './credentials.ts'

/** Where the fields of a person are. SD-JWT paths as requested; the output reads them from their first name on. */
const FIELDS = {
  given_name: { sd: [['given_name']], pid: 'given_name', mdl: 'given_name' },
  family_name: { sd: [['family_name']], pid: 'family_name', mdl: 'family_name' },
  birth_date: { sd: [['birthdate']], pid: 'birth_date', mdl: 'birth_date' },
  birth_place: {
    sd: [
      ['place_of_birth', 'locality'],
      ['place_of_birth', 'country'],
    ],
    pid: 'place_of_birth',
    mdl: 'birth_place',
  },
  nationalities: { sd: [['nationalities', null]], pid: 'nationality', mdl: 'nationality' },
  portrait: { sd: [['picture']], pid: 'portrait', mdl: 'portrait' },
} as const
type Field = keyof typeof FIELDS

export function person(about: { key: string; title: string; description: string; fields: readonly Field[] }): Template {
  const { fields, ...named } = about
  const credentials: CredentialQuery[] = [
    { ...PID_SD_JWT, claims: fields.flatMap((field) => FIELDS[field].sd.map((path) => ({ path }))) },
    { ...PID_MDOC, claims: fields.map((field) => kept(PID, FIELDS[field].pid)) },
    { ...MDL_MDOC, claims: fields.map((field) => kept(MDL, FIELDS[field].mdl)) },
  ]
  const outputs: Outputs = Object.fromEntries(fields.map((field) => [field, personRule(field)]))
  return { ...named, query: anyOf(credentials), outputs }
}

function personRule(field: Field): OutputRule {
  if (field === 'birth_place') return { object: BIRTH_PLACE }
  const { sd, pid, mdl } = FIELDS[field]
  const value: Source[] = [
    { credential: 'pid_sd', path: [sd[0][0]] },
    { credential: 'pid_mdoc', path: [PID, pid] },
    { credential: 'mdl', path: [MDL, mdl] },
  ]
  if (field === 'nationalities') return { value, as: 'list' }
  return field === 'portrait' ? { value, as: 'bytes' } : { value }
}

/** The PID's place of birth is a structure, the driving licence's a line of text. */
const BIRTH_PLACE: Readonly<Record<string, readonly Source[]>> = {
  formatted: [{ credential: 'mdl', path: [MDL, 'birth_place'] }],
  locality: placeOfBirth('locality', ['pid_sd', 'pid_mdoc']),
  // Not requested from an SD-JWT.
  region: placeOfBirth('region', ['pid_mdoc']),
  country: placeOfBirth('country', ['pid_sd', 'pid_mdoc']),
}

function placeOfBirth(name: string, credentials: readonly ('pid_sd' | 'pid_mdoc')[]): readonly Source[] {
  return credentials.map((credential) => ({
    credential,
    path: credential === 'pid_sd' ? ['place_of_birth', name] : [PID, 'place_of_birth', name],
  }))
}
