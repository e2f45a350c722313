// Reads the asking party from an access certificate: identifier, service, and the party that an intermediary asks for.

import type { X509Certificate } from 'node:crypto'

export interface ServiceName {
  readonly identifier: string
  readonly serviceId: string
}

export interface AccessIdentity {
  readonly organization: string | null
  readonly identifier: string | null
  readonly commonName: string | null
  /** The service of the certificate's own party; null if it names none. */
  readonly serviceId: string | null
  /** ARF Reg_34a: the party and service on whose behalf an intermediary asks. */
  readonly association: ServiceName | null
}

export function readAccessIdentity(leaf: X509Certificate): AccessIdentity {
  const identifier = attribute(leaf, 'organizationIdentifier')
  const uris = (leaf.subjectAltName ?? '')
    .split(', ')
    .flatMap((name) => (name.startsWith('URI:') ? [name.slice(4)] : []))
  const named = uris.flatMap((uri) => serviceOf(uri) ?? [])
  return {
    organization: attribute(leaf, 'O'),
    identifier,
    commonName: attribute(leaf, 'CN'),
    serviceId: named.find((service) => service.identifier === identifier)?.serviceId ?? null,
    association: named.find((service) => service.identifier !== identifier) ?? null,
  }
}

/** `{register}/wrp/{identifier}/services/{service}`. */
function serviceOf(uri: string): ServiceName | null {
  const found = URL.canParse(uri) ? /\/wrp\/([^/]+)\/services\/([^/]+)$/.exec(new URL(uri).pathname) : null
  if (found?.[1] === undefined || found[2] === undefined) return null
  return { identifier: decodeURIComponent(found[1]), serviceId: decodeURIComponent(found[2]) }
}

/** `subject` has one attribute per line. */
function attribute({ subject }: X509Certificate, name: string): string | null {
  const line = subject.split('\n').find((text) => text.startsWith(`${name}=`))
  return line === undefined ? null : line.slice(name.length + 1)
}
