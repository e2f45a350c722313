// Defines the invented person of the sandbox, once for each kind of credential (names of docs/protocol/credential-types.md).

import type { CborValue } from './encoding/cbor.ts'
import { fullDate, mapOf } from './encoding/cbor.ts'
import { PORTRAIT } from './portrait.ts'
import type { Template } from './sdjwt.ts'
import { sd } from './sdjwt.ts'

export const PERSON = {
  familyName: 'Specimen',
  givenName: 'Vida',
  birthDate: '1990-07-14',
  birthCountry: 'AT',
  birthLocality: 'Musterdorf',
  nationality: 'DE',
  street: 'Beispielweg',
  houseNumber: '1',
  postalCode: '00000',
  city: 'Musterstadt',
  region: 'Nirgendwo',
  country: 'DE',
  administrativeNumber: 'SPECIMEN-0001',
  documentNumber: 'VDS000001',
  authority: 'Vidimus Sandbox',
  email: 'vida.specimen@example.com',
  phone: '+49 0000 000000',
} as const

export type Person = { readonly [Member in keyof typeof PERSON]: string }

const AGES = [12, 14, 16, 18, 21, 25, 60, 62, 65, 68] as const

/** Whole years on the given day, in UTC. */
export function ageAt(birthDate: string, unixSeconds: number): number {
  const today = new Date(unixSeconds * 1000).toISOString().slice(0, 10)
  const years = Number(today.slice(0, 4)) - Number(birthDate.slice(0, 4))
  return today.slice(5) < birthDate.slice(5) ? years - 1 : years
}

export interface Dates {
  /** YYYY-MM-DD. */
  readonly issued: string
  readonly expires: string
  readonly age: number
}

/** All claims, each concealed individually, including nested claims and array elements. */
export function pidClaims(person: Person, dates: Dates): { readonly [member: string]: Template } {
  return {
    family_name: sd(person.familyName),
    given_name: sd(person.givenName),
    birthdate: sd(person.birthDate),
    birth_family_name: sd(person.familyName),
    place_of_birth: sd({ locality: sd(person.birthLocality), country: sd(person.birthCountry) }),
    nationalities: sd([sd(person.nationality), sd('FR')]),
    address: sd({
      formatted: sd(`${person.street} ${person.houseNumber}, ${person.postalCode} ${person.city}`),
      street_address: sd(person.street),
      house_number: sd(person.houseNumber),
      postal_code: sd(person.postalCode),
      locality: sd(person.city),
      region: sd(person.region),
      country: sd(person.country),
    }),
    age_equal_or_over: Object.fromEntries(AGES.map((years) => [String(years), sd(dates.age >= years)])),
    personal_administrative_number: sd(person.administrativeNumber),
    picture: sd(`data:image/jpeg;base64,${PORTRAIT}`),
    sex: sd(2),
    email: sd(person.email),
    phone_number: sd(person.phone),
    date_of_issuance: sd(dates.issued),
    date_of_expiry: sd(dates.expires),
    issuing_authority: sd(person.authority),
    issuing_country: sd(person.country),
    document_number: sd(person.documentNumber),
  }
}

type Elements = { readonly [element: string]: CborValue }

export function pidElements(person: Person, dates: Dates): Elements {
  return {
    family_name: person.familyName,
    given_name: person.givenName,
    birth_date: fullDate(person.birthDate),
    family_name_birth: person.familyName,
    place_of_birth: mapOf({ country: person.birthCountry, locality: person.birthLocality }),
    nationality: [person.nationality, 'FR'],
    resident_address: `${person.street} ${person.houseNumber}, ${person.postalCode} ${person.city}`,
    resident_street: person.street,
    resident_house_number: person.houseNumber,
    resident_postal_code: person.postalCode,
    resident_city: person.city,
    resident_state: person.region,
    resident_country: person.country,
    ...ageElements(dates.age),
    personal_administrative_number: person.administrativeNumber,
    portrait: portraitBytes(),
    sex: 2,
    email_address: person.email,
    mobile_phone_number: person.phone,
    issuance_date: fullDate(dates.issued),
    expiry_date: fullDate(dates.expires),
    issuing_authority: person.authority,
    issuing_country: person.country,
    document_number: person.documentNumber,
  }
}

export function drivingLicenceElements(person: Person, dates: Dates): Elements {
  const period = { issue_date: fullDate(dates.issued), expiry_date: fullDate(dates.expires) }
  return {
    family_name: person.familyName,
    given_name: person.givenName,
    birth_date: fullDate(person.birthDate),
    birth_place: person.birthLocality,
    ...period,
    issuing_country: person.country,
    issuing_authority: person.authority,
    document_number: person.documentNumber,
    portrait: portraitBytes(),
    driving_privileges: [mapOf({ vehicle_category_code: 'B', ...period }), mapOf({ vehicle_category_code: 'AM' })],
    un_distinguishing_sign: 'D',
    nationality: person.nationality,
    resident_address: `${person.street} ${person.houseNumber}`,
    resident_city: person.city,
    resident_state: person.region,
    resident_postal_code: person.postalCode,
    resident_country: person.country,
    ...ageElements(dates.age),
  }
}

/** A payment card: the data by which a person recognises it. */
export function cardClaims(): { readonly [member: string]: Template } {
  return { pan_last_four: sd('4242'), scheme: sd('Sandbox Pay') }
}

/** The EU age proof has only ages. */
export function ageElements(age: number): Elements {
  return Object.fromEntries(AGES.map((years) => [`age_over_${String(years).padStart(2, '0')}`, age >= years]))
}

function portraitBytes(): Uint8Array {
  return new Uint8Array(Buffer.from(PORTRAIT, 'base64'))
}
