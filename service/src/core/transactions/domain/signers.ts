// Chooses the credentials that may sign a transaction.

import type { CredentialQuery, DcqlQuery, TransactionItem } from '@vidimus/engine'
import { queriedFormatOf, queriedTypes } from '@vidimus/engine/formats'
import { Refusal } from '../../../platform/errors.ts'
import { invalidTransaction } from './form.ts'

type Kind = TransactionItem['kind']

/** Prefixes of the types of person identification data. */
const PID_TYPES = ['urn:eudi:pid:', 'eu.europa.ec.eudi.pid.']

function canSign(credential: CredentialQuery, kind: Kind): boolean {
  return !isPid(credential) && credential.multiple !== true && queriedFormatOf(credential.format).confirms(kind)
}

function isPid(credential: CredentialQuery): boolean {
  return queriedTypes(credential).some((type) => PID_TYPES.some((start) => type.startsWith(start)))
}

/**
 * The named credentials, or all that can sign. Never a PID (PID rulebook), never one with `multiple` (one holder could be
 * named and another sign), and an mdoc only if the type defines how a device signs it. Throws a refusal.
 */
export function signersOf(
  query: DcqlQuery,
  wanted: { readonly credential: readonly string[] | null; readonly kind: Kind; readonly path: string },
): readonly string[] {
  const { credential, kind, path } = wanted
  if (credential === null) {
    const able = query.credentials.filter((one) => canSign(one, kind)).map(({ id }) => id)
    if (able.length === 0) throw notSupported(path, 'no credential of the question can agree to it')
    return able
  }
  for (const [i, id] of credential.entries()) {
    const found = query.credentials.find((one) => one.id === id)
    if (found === undefined) throw invalidTransaction(`${path}.credential[${i}]`, 'names no credential of the question')
    if (isPid(found)) throw notSupported(`${path}.credential[${i}]`, 'wallets sign nothing with a PID')
    if (found.multiple === true)
      throw notSupported(`${path}.credential[${i}]`, 'a credential with "multiple" cannot agree, only a single one')
    if (!canSign(found, kind))
      throw notSupported(
        `${path}.credential[${i}]`,
        `${queriedFormatOf(found.format).label} credentials cannot agree to this type`,
      )
  }
  return credential
}

const notSupported = (path: string, reason: string) =>
  new Refusal('transaction_not_supported_for_credential', { message: `body.${path}: ${reason}.` })

/** A presentation has one place for each kind of transaction, so a credential cannot sign two of one kind. */
export function holdsOneOfAKind(credential: CredentialQuery, kind: Kind): boolean {
  return queriedFormatOf(credential.format).confirmsOnce(kind)
}
