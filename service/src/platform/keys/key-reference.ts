// How operators name a key outside of this process: a scheme, and the name that the place gives the key.

export const KEY_SCHEMES = ['pkcs11'] as const
export type KeyScheme = (typeof KEY_SCHEMES)[number]

/** In what a command offers and a message shows. */
export const REFERENCE_SHAPE = '`pkcs11:token=<label>;object=<label>`'

/** null: no scheme that we know. */
export function schemeOf(reference: string): KeyScheme | null {
  const scheme = reference.slice(0, Math.max(0, reference.indexOf(':')))
  return KEY_SCHEMES.find((known) => known === scheme) ?? null
}

/** What is wrong with a reference; null: nothing that shows without asking the place. */
export function referenceProblem(reference: string): string | null {
  const isKnown = schemeOf(reference) === 'pkcs11' && readPkcs11Reference(reference) !== null
  return isKnown ? null : `a key is named like ${REFERENCE_SHAPE}, not '${reference}'`
}

export interface Pkcs11Reference {
  readonly token: string
  readonly object: string
}

const PATH = /^pkcs11:token=([A-Za-z0-9._~%-]{1,96});object=([A-Za-z0-9._~%-]{1,200})$/

/** RFC 7512, with these two attributes only: a PIN never belongs into a reference. null: another form. */
export function readPkcs11Reference(reference: string): Pkcs11Reference | null {
  const [, token, object] = PATH.exec(reference) ?? []
  if (token === undefined || object === undefined) return null
  try {
    return { token: decodeURIComponent(token), object: decodeURIComponent(object) }
  } catch {
    return null
  }
}

/** Names of keys that are made by the service itself, one below the other. */
export const childReference = (parent: string, name: string) => `${parent}.${name}`
