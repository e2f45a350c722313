// Finds what a request asks for beyond the registration (ARF RPRC_21). Optional claims and alternatives count, too.

import type { ClaimQuery, CredentialQuery, DcqlQuery } from '../dcql.ts'
import type { ClaimPath } from '../present.ts'

/** What a registration certificate allows its service to request. */
export interface RegisteredCredential {
  readonly format: string
  /** vct values or the one docType. */
  readonly types: readonly string[]
  readonly paths: readonly ClaimPath[]
}

interface OverAsked {
  readonly queryId: string
  /** null: the type itself is not registered. */
  readonly path: ClaimPath | null
}

export function findOverAsked(query: DcqlQuery, registered: readonly RegisteredCredential[]): readonly OverAsked[] {
  return query.credentials.flatMap((requested) => overAskedOf(requested, registered))
}

function overAskedOf(requested: CredentialQuery, registered: readonly RegisteredCredential[]): readonly OverAsked[] {
  const fitting = registered.filter((one) => fitsType(one, requested))
  if (fitting.length === 0) return [{ queryId: requested.id, path: null }]
  const paths = fitting.flatMap((one) => one.paths)
  const isCovered = ({ path }: ClaimQuery) => paths.some((covering) => coversPath(covering, path))
  return requested.claims.filter((claim) => !isCovered(claim)).map(({ path }) => ({ queryId: requested.id, path }))
}

function fitsType(registered: RegisteredCredential, requested: CredentialQuery): boolean {
  // A proof about a document reveals less of it, never more.
  const format = requested.format === 'mso_mdoc_zk' ? 'mso_mdoc' : requested.format
  if (registered.format !== format || requested.types.length === 0) return false
  return requested.types.every((type) => registered.types.includes(type))
}

/** A registered path covers itself and everything below it; a registered null covers every index. */
export function coversPath(registered: ClaimPath, requested: ClaimPath): boolean {
  if (registered.length === 0 || registered.length > requested.length) return false
  return registered.every((part, index) => {
    const wanted = requested[index]
    return part === wanted || (part === null && typeof wanted === 'number')
  })
}
