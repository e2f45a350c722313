// Claims that a registration or a request names by paths, in words: each once, whatever the document calls it.

import { documentLabel, type Labels, pathLabel, toldLabel } from '../../labels/catalogue.ts'
import type { RegistrationCertificate, RegistrationConcern } from '../../wire/registration.ts'

type Path = RegistrationCertificate['credentials'][number]['paths'][number]
export type NamedClaim = RegistrationConcern['unregistered'][number]

/** Without the namespace of an mdoc, and without positions in a list. */
function claimName(labels: Labels, path: Path): string {
  const names = path.filter((part) => typeof part === 'string')
  const [first = '', ...rest] = names
  return pathLabel(labels, rest.length > 0 && first.includes('.') ? rest : names, toldLabel)
}

const documentName = (labels: Labels, types: readonly string[]): string =>
  [...new Set(types.map((type) => documentLabel(labels, type) ?? type))].join(', ')

/** A document without any claim goes by its own name. */
export const claimNames = (labels: Labels, claims: readonly NamedClaim[]): readonly string[] => [
  ...new Set(claims.map(({ types, path }) => (path === null ? documentName(labels, types) : claimName(labels, path)))),
]

export interface DocumentClaims {
  readonly document: string
  /** Empty: the document alone. */
  readonly claims: readonly string[]
}

/** Documents of several formats that have one name are one entry. */
export function claimsByDocument(labels: Labels, claims: readonly NamedClaim[]): readonly DocumentClaims[] {
  const found = new Map<string, Set<string>>()
  for (const { types, path } of claims) {
    const document = documentName(labels, types)
    const names = found.get(document) ?? new Set()
    if (path !== null) names.add(claimName(labels, path))
    found.set(document, names)
  }
  return [...found].map(([document, names]) => ({ document, claims: [...names] }))
}

/** For people who compare it with the certificate. */
export const pathText = (path: Path): string => path.map((part) => part ?? '*').join(' › ')
