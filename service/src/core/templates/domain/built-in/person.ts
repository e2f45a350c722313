// Defines the templates for a person's identity: a choice of fields from a PID or a driving licence.

import type { CredentialQuery } from '@vidimus/engine'
import type { OutputRule, Outputs, Source } from '../outputs.ts'
import type { Template } from '../template.ts'
import { anyOf, kept, MDL, MDL_MDOC, PID, PID_MDOC, PID_SD_JWT } from './credentials.ts'

/** Where each credential has a field. `sd`: the SD-JWT paths to request; outputs read the first name of each path. */
const FIELDS = {
  given_name: { sd: [['given_name']], pid: 'given_name', mdl: 'given_name' },
  family_name: { sd: [['family_name']], pid: 'family_name', mdl: 'family_name' },
  birth_date: { sd: [['birthdate']], pid: 'birth_date', mdl: 'birth_date' },
  birth_place: {
    sd: [
      ['place_of_birth', 'locality'],
      ['place_of_birth', 'region'],
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
    { ...PID_SD_JWT, ...sdJwtClaims(fields) },
    { ...PID_MDOC, claims: fields.map((field) => kept(PID, FIELDS[field].pid)) },
    { ...MDL_MDOC, claims: fields.map((field) => kept(MDL, FIELDS[field].mdl)) },
  ]
  const outputs: Outputs = Object.fromEntries(fields.map((field) => [field, personRule(field)]))
  return { ...named, query: anyOf(credentials), outputs }
}

/** PID rulebook 4.1: a place of birth has at least one of these parts. Asks for both town and country, if possible. */
const BIRTH_PLACE_SETS = [['locality', 'country'], ['locality'], ['region'], ['country']]

function sdJwtClaims(fields: readonly Field[]): Pick<CredentialQuery, 'claims' | 'claim_sets'> {
  if (!fields.includes('birth_place'))
    return { claims: fields.flatMap((field) => FIELDS[field].sd.map((path) => ({ path }))) }
  const idOf = (field: Field, path: readonly (string | null)[]) =>
    field === 'birth_place' ? `${field}_${path.at(-1)}` : field
  return {
    claims: fields.flatMap((field) => FIELDS[field].sd.map((path) => ({ id: idOf(field, path), path }))),
    claim_sets: BIRTH_PLACE_SETS.map((parts) =>
      fields.flatMap((field) => (field === 'birth_place' ? parts.map((part) => `${field}_${part}`) : [field])),
    ),
  }
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

/** The place of birth is a structure in a PID, and a line of text in a driving licence. */
const BIRTH_PLACE: Readonly<Record<string, readonly Source[]>> = {
  formatted: [{ credential: 'mdl', path: [MDL, 'birth_place'] }],
  locality: placeOfBirth('locality'),
  region: placeOfBirth('region'),
  country: placeOfBirth('country'),
}

function placeOfBirth(name: string): readonly Source[] {
  return [
    { credential: 'pid_sd', path: ['place_of_birth', name] },
    { credential: 'pid_mdoc', path: [PID, 'place_of_birth', name] },
  ]
}
