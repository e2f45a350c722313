// Parses references to keys outside of this process: a scheme, and the provider's name of the key.

interface ReferenceForm {
  /** How messages show the form. */
  readonly shape: string
  /** The groups are the parts that the provider needs. Excludes `#` and `,`, which separate wrapped keys. */
  readonly pattern: RegExp
  /** The name of a key that the service creates, with `parent` as prefix. */
  readonly child: (parent: string, name: string) => string
}

/** For providers that allow neither dots nor underscores in names. */
const dashed = (parent: string, name: string) => `${parent}-${name.replaceAll('_', '-')}`

const FORMS = {
  // RFC 7512, with these two attributes only: a PIN does not belong in a reference.
  pkcs11: {
    shape: '`pkcs11:token=<label>;object=<label>`',
    pattern: /^pkcs11:token=(?<token>[A-Za-z0-9._~%-]{1,96});object=(?<object>[A-Za-z0-9._~%-]{1,200})$/,
    child: (parent, name) => `${parent}.${name}`,
  },
  awskms: {
    shape: '`awskms:alias/<name>` (or the ARN or id of a key)',
    pattern:
      /^awskms:(?<key>arn:aws[a-z-]{0,12}:kms:(?<region>[a-z0-9-]{5,32}):\d{12}:(?:key|alias)\/[A-Za-z0-9/_-]{1,200}|(?<alias>alias\/[A-Za-z0-9/_-]{1,200})|[a-f0-9-]{36}|mrk-[a-f0-9]{32})$/,
    child: dashed,
  },
  vault: {
    shape: '`vault:<mount>/keys/<name>`',
    // No part begins with a dot, so that a path has no `.` or `..`.
    pattern:
      /^vault:(?<mount>[A-Za-z0-9_-][A-Za-z0-9._-]{0,60}(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,60}){0,3})\/keys\/(?<name>[A-Za-z0-9_-][A-Za-z0-9._-]{0,120})(?:\/(?<version>[1-9][0-9]{0,8}))?$/,
    child: dashed,
  },
  azurekms: {
    shape: '`azurekms:https://<vault>.vault.azure.net/keys/<name>`',
    pattern:
      /^azurekms:(?<vault>https:\/\/(?<host>[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,5})(?::[1-9][0-9]{0,4})?)\/keys\/(?<name>[A-Za-z0-9-]{1,127})(?:\/(?<version>[0-9a-f]{32}))?$/,
    child: dashed,
  },
  gcpkms: {
    shape: '`gcpkms:projects/<project>/locations/<location>/keyRings/<ring>/cryptoKeys/<name>`',
    pattern:
      /^gcpkms:(?<ring>projects\/[a-z0-9][a-z0-9.:-]{0,60}\/locations\/[a-z0-9-]{1,40}\/keyRings\/[A-Za-z0-9_-]{1,63})\/cryptoKeys\/(?<name>[A-Za-z0-9_-]{1,63})(?:\/cryptoKeyVersions\/(?<version>[1-9][0-9]{0,8}))?$/,
    child: dashed,
  },
} satisfies Readonly<Record<string, ReferenceForm>>

export type KeyScheme = keyof typeof FORMS
const SCHEMES = Object.keys(FORMS) as KeyScheme[]

/** For the help of commands. */
export const REFERENCE_SHAPE = `${SCHEMES.map((scheme) => `\`${scheme}:…\``).join(', ')} (docs/keys-outside.md)`

/** null: the scheme is unknown. */
export function schemeOf(reference: string): KeyScheme | null {
  const scheme = reference.slice(0, Math.max(0, reference.indexOf(':')))
  return SCHEMES.find((known) => known === scheme) ?? null
}

/** The named parts of a reference; null: the reference does not have the form of this scheme. */
export function readReference(scheme: KeyScheme, reference: string): Readonly<Record<string, string>> | null {
  const groups = FORMS[scheme].pattern.exec(reference)?.groups
  return groups === undefined ? null : { ...groups }
}

/** What is wrong with a reference; null if nothing is. */
export function referenceProblem(reference: string): string | null {
  const scheme = schemeOf(reference)
  if (scheme === null)
    return `a key is named like ${SCHEMES.map((known) => FORMS[known].shape).join(', ')}; not '${reference}'`
  const isRead = scheme === 'pkcs11' ? readPkcs11Reference(reference) !== null : readReference(scheme, reference)
  return isRead ? null : `a key is named like ${FORMS[scheme].shape}, not '${reference}'`
}

export interface Pkcs11Reference {
  readonly token: string
  readonly object: string
}

/** null: the reference has another form. */
export function readPkcs11Reference(reference: string): Pkcs11Reference | null {
  const { token, object } = readReference('pkcs11', reference) ?? {}
  if (token === undefined || object === undefined) return null
  try {
    return { token: decodeURIComponent(token), object: decodeURIComponent(object) }
  } catch {
    return null
  }
}

/** The name of a key that the service creates itself, with `parent` as prefix. */
export function childReference(parent: string, name: string): string {
  const scheme = schemeOf(parent)
  if (scheme === null) throw new Error('bug: a key reference without a known scheme')
  return FORMS[scheme].child(parent, name)
}
