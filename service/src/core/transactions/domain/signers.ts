// Which credentials of a question may agree to a transaction? Never a PID: wallets do not sign transactions with the key of an
// identity document (PID rulebook). An mdoc only where the type says how a device does it.

import type { CredentialQuery, DcqlQuery, TransactionItem } from '@vidimus/engine'
import { askedFormatOf, askedTypes } from '@vidimus/engine/formats'
import { Refusal } from '../../../platform/errors.ts'
import { invalidTransaction } from './form.ts'

type Kind = TransactionItem['kind']

/** What types of person identification data begin with. */
const PID_TYPES = ['urn:eudi:pid:', 'eu.europa.ec.eudi.pid.']

export function canSign(credential: CredentialQuery, kind: Kind): boolean {
  return !isPid(credential) && askedFormatOf(credential.format).confirms(kind)
}

export function isPid(credential: CredentialQuery): boolean {
  return askedTypes(credential).some((type) => PID_TYPES.some((start) => type.startsWith(start)))
}

/** Those that are named, or all that can. Throws a refusal. */
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
    if (!canSign(found, kind))
      throw notSupported(
        `${path}.credential[${i}]`,
        `${askedFormatOf(found.format).label} credentials cannot agree to this type`,
      )
  }
  return credential
}

const notSupported = (path: string, reason: string) =>
  new Refusal('transaction_not_supported_for_credential', { message: `body.${path}: ${reason}.` })

/** In one presentation there is one place for it: two of a kind could not both be said. */
export function holdsOneOfAKind(credential: CredentialQuery, kind: Kind): boolean {
  return askedFormatOf(credential.format).confirmsOnce(kind)
}
