// The documents that a template can accept, and where each has its claims.

export const DOCUMENT_IDS = ['pid_sd', 'pid_mdoc', 'mdl', 'age_proof'] as const
export type DocumentId = (typeof DOCUMENT_IDS)[number]

interface Document {
  readonly format: string
  /** vct or doctype. */
  readonly type: string
  /** The `meta` of a query for this type. */
  readonly meta: object
  /** The name space. Only an mdoc has one. */
  readonly namespace: string | null
}

const PID = 'eu.europa.ec.eudi.pid.1'
const MDL = 'org.iso.18013.5.1'
const AGE_PROOF = 'eu.europa.ec.av.1'

export const DOCUMENTS: Readonly<Record<DocumentId, Document>> = {
  pid_sd: {
    format: 'dc+sd-jwt',
    type: 'urn:eudi:pid:1',
    meta: { vct_values: ['urn:eudi:pid:1'] },
    namespace: null,
  },
  pid_mdoc: mdoc(PID, PID),
  mdl: mdoc('org.iso.18013.5.1.mDL', MDL),
  age_proof: mdoc(AGE_PROOF, AGE_PROOF),
}

function mdoc(type: string, namespace: string): Document {
  return { format: 'mso_mdoc', type, meta: { doctype_value: type }, namespace }
}

/** The least disclosing document comes first: an age alone is requested from an age proof before any other. */
export const ORDERS = {
  age: ['age_proof', 'mdl', 'pid_sd', 'pid_mdoc'],
  person: ['pid_sd', 'pid_mdoc', 'mdl', 'age_proof'],
} as const satisfies Record<string, readonly DocumentId[]>

type Path = readonly (string | null)[]

interface Fact {
  /** Paths in an SD-JWT, as in a query; null: the SD-JWT has no such claim. */
  readonly sd: readonly Path[] | null
  /** Elements of mdocs. */
  readonly pid: string | null
  readonly mdl: string | null
  readonly as?: 'list' | 'bytes'
}

/** Addresses and ages consist of several claims: see claims.ts. */
export const FACTS = {
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
  nationalities: { sd: [['nationalities', null]], pid: 'nationality', mdl: 'nationality', as: 'list' },
  sex: { sd: [['sex']], pid: 'sex', mdl: 'sex' },
  portrait: { sd: [['picture']], pid: 'portrait', mdl: 'portrait', as: 'bytes' },
  address: { sd: [['address']], pid: 'resident_address', mdl: 'resident_address' },
  email: { sd: [['email']], pid: 'email_address', mdl: null },
  phone_number: { sd: [['phone_number']], pid: 'mobile_phone_number', mdl: null },
  personal_administrative_number: {
    sd: [['personal_administrative_number']],
    pid: 'personal_administrative_number',
    mdl: 'administrative_number',
  },
  document_number: { sd: [['document_number']], pid: 'document_number', mdl: 'document_number' },
  issuing_country: { sd: [['issuing_country']], pid: 'issuing_country', mdl: 'issuing_country' },
  issuing_authority: { sd: [['issuing_authority']], pid: 'issuing_authority', mdl: 'issuing_authority' },
  issue_date: { sd: [['date_of_issuance']], pid: 'issuance_date', mdl: 'issue_date' },
  expiry_date: { sd: [['date_of_expiry']], pid: 'expiry_date', mdl: 'expiry_date' },
  driving_privileges: { sd: null, pid: null, mdl: 'driving_privileges' },
} as const satisfies Record<string, Fact>

export type FactId = keyof typeof FACTS
export const isFact = (name: string): name is FactId => Object.hasOwn(FACTS, name)
export const factOf = (id: FactId): Fact => FACTS[id]

export const ADDRESS = {
  formatted: { sd: 'formatted', mdoc: 'resident_address' },
  street_address: { sd: 'street_address', mdoc: 'resident_street' },
  house_number: { sd: 'house_number', mdoc: 'resident_house_number' },
  postal_code: { sd: 'postal_code', mdoc: 'resident_postal_code' },
  locality: { sd: 'locality', mdoc: 'resident_city' },
  region: { sd: 'region', mdoc: 'resident_state' },
  country: { sd: 'country', mdoc: 'resident_country' },
} as const

/** A fact by its name, or an age such as `age_over_18`. */
export type RequestedClaim = FactId | `age_over_${number}`

/** Returns null if it is not an age. */
export function ageOf(name: string): number | null {
  const [, digits] = /^age_over_([1-9]\d?)$/.exec(name) ?? []
  return digits === undefined ? null : Number(digits)
}

export const isRequestable = (name: string): name is RequestedClaim => isFact(name) || ageOf(name) !== null
