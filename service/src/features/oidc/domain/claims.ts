// Maps a verification's result to OpenID Connect claims (Core §5.1, and Identity Assurance for claims not in Core).

import type { Json, JsonObject } from '@vidimus/engine'
import type { CredentialResult } from '../../../core/verifications/domain/verification.ts'

/** The claim of the ID token that says what bound the wallet's answer to the browser (`BoundBy`). */
export const BINDING_CLAIM = 'vidimus_binding'

/** Never taken from a credential: these claims describe the token or its subject. */
const RESERVED = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'nonce', 'auth_time', 'acr', 'amr', 'azp', 'sid', 'cnf', 'act'],
  ...['at_hash', 'c_hash', 's_hash', 'events', 'scope', 'client_id', 'vp_data', 'verified_claims', 'email_verified'],
  ...['phone_number_verified', 'updated_at', 'roles', 'groups', 'entitlements', 'realm_access', 'resource_access'],
  ...[
    '_claim_names',
    '_claim_sources',
    'vc_presented_attributes',
    'pres_req_conf_id',
    'preferred_username',
    BINDING_CLAIM,
  ],
])

type Presented = Pick<CredentialResult, 'claims'>

/** Names in our templates and in credentials, and the standard OpenID claims that they become. */
const STANDARD: Readonly<Record<string, string>> = {
  birth_date: 'birthdate',
  birth_place: 'place_of_birth',
  nationality: 'nationalities',
  portrait: 'picture',
  email_address: 'email',
  mobile_phone_number: 'phone_number',
  family_name_birth: 'birth_family_name',
}

/** `credentials`: those of the result. Without outputs, `claims` has only the first value of each name. */
export function standardClaims(claims: JsonObject, credentials: readonly Presented[] = []): JsonObject {
  const mapped = new Map<string, Json>()
  for (const [name, value] of Object.entries(claims)) {
    const standard = standardName(name)
    if (standard !== null && !mapped.has(standard)) mapped.set(standard, inStandardForm(standard, value))
  }
  const ages = Object.entries({ ...objectOf(mapped.get('age_equal_or_over')), ...agesOf(claims) })
  // An age that a credential denies under either name is denied.
  const denied = new Set([claims, ...credentials.map((one) => one.claims)].flatMap(deniedAges))
  if (ages.length > 0)
    mapped.set('age_equal_or_over', Object.fromEntries(ages.map(([age, is]) => [age, denied.has(age) ? false : is])))
  for (const age of denied) if (mapped.has(`age_over_${age}`)) mapped.set(`age_over_${age}`, false)
  const { given_name: givenName, family_name: family } = claims
  if (
    !mapped.has('name') &&
    typeof givenName === 'string' &&
    typeof family === 'string' &&
    isOfOne(claims, credentials)
  )
    mapped.set('name', `${givenName} ${family}`)
  return Object.fromEntries(mapped)
}

/** Whether one credential gives both parts of the name: two credentials may be of two people. */
const isOfOne = ({ given_name: givenName, family_name: family }: JsonObject, credentials: readonly Presented[]) =>
  credentials.length < 2 ||
  credentials.some(({ claims }) => claims.given_name === givenName && claims.family_name === family)

function inStandardForm(name: string, value: Json): Json {
  if (name === 'nationalities' && typeof value === 'string') return [value]
  // The claim is defined as a URL; we only have the bytes.
  if (name === 'picture' && typeof value === 'string' && /^[\w-]+$/.test(value)) return dataUrlOf(value)
  return value
}

function dataUrlOf(bytes: string): string {
  const decoded = Buffer.from(bytes, 'base64url')
  const type = decoded.subarray(0, 4).equals(PNG)
    ? 'image/png'
    : decoded.subarray(4, 8).equals(JP2)
      ? 'image/jp2'
      : 'image/jpeg'
  return `data:${type};base64,${decoded.toString('base64')}`
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47])
const JP2 = Buffer.from('jP  ', 'latin1')

const AGE_OUTPUT = /^age_over_(\d{1,3})$/

/** `age_over_18` keeps its name and is also included under its Identity Assurance name. */
function agesOf(claims: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(claims).flatMap(([name, value]) => {
      const age = AGE_OUTPUT.exec(name)?.[1]
      return age === undefined || typeof value !== 'boolean' ? [] : [[age, value]]
    }),
  )
}

const deniedAges = (claims: JsonObject): string[] =>
  [agesOf(claims), objectOf(claims.age_equal_or_over)].flatMap((ages) =>
    Object.keys(ages).filter((age) => ages[age] === false),
  )

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

/** The OpenID name of a claim; null if it is reserved and never comes from a credential. */
export function standardName(name: string): string | null {
  if (RESERVED.has(name)) return null
  return Object.hasOwn(STANDARD, name) ? (STANDARD[name] ?? name) : name
}

/** The names under which formats have the same claim. */
export function spellingsOf(name: string): readonly string[] {
  const standard = standardName(name) ?? name
  const others = Object.keys(STANDARD).filter((one) => STANDARD[one] === standard)
  return [...new Set([name, standard, ...others])]
}

/** The names of the OpenID claims in a result that has these claims. */
export function standardNames(names: readonly string[]): ReadonlySet<string> {
  const mapped = names.map(standardName).filter((name) => name !== null)
  const ages = names.some((name) => AGE_OUTPUT.test(name)) ? ['age_equal_or_over'] : []
  const full = ['given_name', 'family_name'].every((name) => names.includes(name)) ? ['name'] : []
  return new Set([...mapped, ...ages, ...full])
}

/** Claims about a person that templates provide; a tenant's own templates may add more. */
export const PERSONAL_CLAIMS: readonly string[] = [
  ...['name', 'given_name', 'family_name', 'birthdate', 'address', 'email', 'phone_number', 'picture'],
  ...['nationalities', 'place_of_birth', 'birth_family_name', 'age_equal_or_over'],
  ...['age_over_16', 'age_over_18', 'age_over_21'],
]

/** The claims that discovery lists. */
export const CLAIMS_SUPPORTED: readonly string[] = [
  ...['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'sid'],
  ...PERSONAL_CLAIMS,
]

/** In bytes of JSON. Clients keep ID tokens in cookies and headers, so larger claims come only from userinfo. */
const ID_TOKEN_CLAIM_BYTES_MAX = 1_024
const ID_TOKEN_CLAIMS_BYTES_MAX = 3_072

/** Takes claims in order until the limit is reached. */
export function smallClaims(claims: JsonObject): JsonObject {
  let left = ID_TOKEN_CLAIMS_BYTES_MAX
  const small = Object.entries(claims).filter(([name, value]) => {
    const bytes = Buffer.byteLength(JSON.stringify([name, value]), 'utf8')
    if (bytes > ID_TOKEN_CLAIM_BYTES_MAX || bytes > left) return false
    left -= bytes
    return true
  })
  return Object.fromEntries(small)
}
