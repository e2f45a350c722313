// Defines the template for a holder's address.

import type { CredentialQuery } from '@vidimus/engine'
import type { Source } from '../outputs.ts'
import type { Template } from '../template.ts'
import { anyOf, kept, MDL, MDL_MDOC, PID, PID_MDOC, PID_SD_JWT } from './credentials.ts'

const ADDRESS = {
  formatted: { sd: 'formatted', mdoc: 'resident_address' },
  street_address: { sd: 'street_address', mdoc: 'resident_street' },
  house_number: { sd: 'house_number', mdoc: 'resident_house_number' },
  postal_code: { sd: 'postal_code', mdoc: 'resident_postal_code' },
  locality: { sd: 'locality', mdoc: 'resident_city' },
  region: { sd: 'region', mdoc: 'resident_state' },
  country: { sd: 'country', mdoc: 'resident_country' },
} as const

// Every part is optional in a PID. Asks for the parts, which can be compared, otherwise for the address as a text.
const IN_PARTS = [
  ['street_address', 'postal_code', 'locality', 'region', 'country'],
  ['street_address', 'postal_code', 'locality', 'country'],
]
const LESS = [['formatted'], ['street_address', 'postal_code', 'locality'], ['locality']]
const PID_SETS = [...IN_PARTS.map(([street = '', ...rest]) => [street, 'house_number', ...rest]), ...IN_PARTS, ...LESS]

export function addressTemplate(): Template {
  const parts = Object.entries(ADDRESS)
  const licenceParts = parts.filter(([id]) => id !== 'house_number')
  const inMdoc = (namespace: string, some: typeof parts) =>
    some.map(([id, { mdoc }]) => ({ id, ...kept(namespace, mdoc) }))
  const credentials: CredentialQuery[] = [
    { ...PID_SD_JWT, claims: parts.map(([id, { sd }]) => ({ id, path: ['address', sd] })), claim_sets: PID_SETS },
    { ...PID_MDOC, claims: inMdoc(PID, parts), claim_sets: PID_SETS },
    // First-edition licences have the street in resident_address.
    {
      ...MDL_MDOC,
      claims: inMdoc(MDL, licenceParts),
      claim_sets: [...IN_PARTS, ['formatted', 'postal_code', 'locality', 'country'], ...LESS],
    },
  ]
  const { house_number: houseNumber } = ADDRESS
  const members = licenceParts.map(([name, { sd, mdoc }]): [string, Source[]] => {
    const hasNumber = name === 'street_address'
    return [
      name,
      [
        { credential: 'pid_sd', path: ['address', sd], ...(hasNumber && { append: ['address', houseNumber.sd] }) },
        { credential: 'pid_mdoc', path: [PID, mdoc], ...(hasNumber && { append: [PID, houseNumber.mdoc] }) },
        { credential: 'mdl', path: [MDL, mdoc] },
      ],
    ]
  })
  return {
    key: 'address',
    title: 'Address',
    description: 'The address of residence, in the parts that the credential has.',
    query: anyOf(credentials),
    outputs: { address: { object: Object.fromEntries(members) } },
  }
}
