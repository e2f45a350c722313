// Names claims of a registration or a request in words. A claim that several documents name differently appears once.

import { answerLabel, documentLabel, type Labels, pathLabel } from '../../labels/catalogue.ts'
import type { RegistrationCertificate, RegistrationConcern } from '../../wire/registration.ts'

type Path = RegistrationCertificate['credentials'][number]['paths'][number]
export type NamedClaim = RegistrationConcern['unregistered'][number]

/** Omits the namespace of an mdoc and positions in a list. */
function claimName(labels: Labels, path: Path): string {
  const names = path.filter((part) => typeof part === 'string')
  const [first = '', ...rest] = names
  return pathLabel(labels, rest.length > 0 && first.includes('.') ? rest : names, answerLabel)
}

const documentName = (labels: Labels, types: readonly string[]): string =>
  [...new Set(types.map((type) => documentLabel(labels, type) ?? type))].join(', ')

/** A document without claims is listed by its own name. */
export const claimNames = (labels: Labels, claims: readonly NamedClaim[]): readonly string[] => [
  ...new Set(claims.map(({ types, path }) => (path === null ? documentName(labels, types) : claimName(labels, path)))),
]

export interface DocumentClaims {
  readonly document: string
  /** Empty: the request asks only for the document itself. */
  readonly claims: readonly string[]
}

/** Merges documents of several formats that have the same name. */
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

/** Returns the technical name, for people who compare it with a certificate. */
export const pathText = (path: Path): string => path.map((part) => part ?? '*').join(' › ')
