// Defines the kinds of providers that published lists name. The kind is set on import, and the engine checks it at every read.

import type { ListProviders } from '@vidimus/engine'
import { IMPORTED_PROVIDERS } from '../../../../../wire/values/trust.ts'
import { OPERATOR_TYPES, REGISTERS, REGISTRATIONS, type TrustListKind } from './anchor.ts'

export type { ListProviders } from '@vidimus/engine'

interface Vouching {
  /** The only format in which lists of this kind are published. */
  readonly kind: TrustListKind
  /** What lists of this kind may vouch for; null: nothing. */
  readonly grants: Grants | null
}

type Grants = 'credentials' | typeof REGISTRATIONS | typeof REGISTERS
type ImportedProviders = (typeof IMPORTED_PROVIDERS)[number]
/** Checks at compile time that a kind has grants exactly if it can be imported. */
type GrantsOf<P> = P extends ImportedProviders ? { readonly grants: Grants } : { readonly grants: null }

const VOUCHING: { readonly [P in ListProviders]: Vouching & GrantsOf<P> } = {
  pid: { kind: 'lote', grants: 'credentials' },
  mdl: { kind: 'lote', grants: 'credentials' },
  'public-attestation': { kind: 'lote', grants: 'credentials' },
  attestation: { kind: 'lote', grants: 'credentials' },
  'registration-certificate': { kind: 'lote', grants: REGISTRATIONS },
  register: { kind: 'lote', grants: REGISTERS },
  mdoc: { kind: 'vical', grants: 'credentials' },
  'age-attestation': { kind: 'tsl', grants: 'credentials' },
  wallet: { kind: 'lote', grants: null },
  'access-certificate': { kind: 'lote', grants: null },
}

/** Returns the kind of providers if the format has only one kind; otherwise null. */
export function onlyProviders(kind: TrustListKind): ListProviders | null {
  const [only, ...more] = IMPORTED_PROVIDERS.filter((one) => VOUCHING[one].kind === kind)
  return only !== undefined && more.length === 0 ? only : null
}

/** Returns why a list of this format and kind cannot vouch for these types; null if it can. */
export function providersProblem(
  providers: ListProviders,
  { kind, types }: { readonly kind: TrustListKind; readonly types: readonly string[] },
): string | null {
  const { kind: published, grants } = VOUCHING[providers]
  if (grants === null) return `nothing here is checked against a list of providers '${providers}'`
  if (published !== kind) return `a list of providers '${providers}' is of the kind ${published}, not ${kind}`
  const fits = types.every((type) => (grants === 'credentials' ? !OPERATOR_TYPES.includes(type) : type === grants))
  return fits ? null : `a list of providers '${providers}' cannot vouch for ${types.join(', ')}`
}
