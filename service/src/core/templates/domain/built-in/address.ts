// The template for a holder's address.

import type { CredentialQuery } from '@vidimus/engine'
import type { Source } from '../outputs.ts'
import type { Template } from '../template.ts'
import { anyOf, kept, MDL, MDL_MDOC, PID, PID_MDOC, PID_SD_JWT } from './credentials.ts'

const ADDRESS = {
  formatted: { sd: 'formatted', mdoc: 'resident_address' },
  street_address: { sd: 'street_address', mdoc: 'resident_street' },
  postal_code: { sd: 'postal_code', mdoc: 'resident_postal_code' },
  locality: { sd: 'locality', mdoc: 'resident_city' },
  region: { sd: 'region', mdoc: 'resident_state' },
  country: { sd: 'country', mdoc: 'resident_country' },
} as const

export function addressTemplate(): Template {
  const parts = Object.entries(ADDRESS)
  // Parts first, because they can be compared. With a region if there is one; otherwise the address as a text.
  const sets = [
    ['street_address', 'postal_code', 'locality', 'region', 'country'],
    ['street_address', 'postal_code', 'locality', 'country'],
    ['formatted'],
  ]
  const inMdoc = (namespace: string) => parts.map(([id, { mdoc }]) => ({ id, ...kept(namespace, mdoc) }))
  const credentials: CredentialQuery[] = [
    { ...PID_SD_JWT, claims: parts.map(([id, { sd }]) => ({ id, path: ['address', sd] })), claim_sets: sets },
    { ...PID_MDOC, claims: inMdoc(PID), claim_sets: sets },
    // First-edition licences have the street in resident_address.
    {
      ...MDL_MDOC,
      claims: inMdoc(MDL),
      claim_sets: [...sets.slice(0, 2), ['formatted', 'postal_code', 'locality', 'country'], ['formatted']],
    },
  ]
  const members = parts.map(([name, { sd, mdoc }]): [string, Source[]] => [
    name,
    [
      { credential: 'pid_sd', path: ['address', sd] },
      { credential: 'pid_mdoc', path: [PID, mdoc] },
      { credential: 'mdl', path: [MDL, mdoc] },
    ],
  ])
  return {
    key: 'address',
    title: 'Address',
    description: 'The address of residence, in the parts that the credential has.',
    query: anyOf(credentials),
    outputs: { address: { object: Object.fromEntries(members) } },
  }
}
