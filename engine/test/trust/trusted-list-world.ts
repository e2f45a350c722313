// Provides a trusted list in XML with its signer and its providers.

import { generateKeyPairSync } from 'node:crypto'
import type { StatusAnswer } from '../../src/expected.ts'
import type { Minted } from './mint-certificate.ts'
import { mintAuthority, mintSigner, NOW } from './mint-pki.ts'
import { certificateIdentity, mintTrustedList, type ServicePlan, type TrustedListPlan } from './mint-trusted-list.ts'
import { readTrustedList } from './read-list.ts'

export const operator = mintAuthority({ subject: { CN: 'Operators of lists' } })
export const signer = mintSigner(operator)
export const rsa = (modulusLength: number) =>
  mintSigner(operator, { key: generateKeyPairSync('rsa', { modulusLength }) })
export const rsaSigner = rsa(2048)
export const first = mintAuthority({ subject: { CN: 'Ages of one country' } })
export const second = mintAuthority({ subject: { CN: 'Ages of another country' } })

const fetchNothing = async (): Promise<StatusAnswer> => ({ outcome: 'unavailable', reason: 'nothing is served' })
export const terms = (minted: Minted = signer, now = NOW) => ({
  signer: minted.der,
  authority: null,
  now,
  fetchStatus: fetchNothing,
  providers: 'age-attestation' as const,
})
export const services: readonly ServicePlan[] = [{ identity: certificateIdentity(first.der) }]
export const mint = (plan: Partial<TrustedListPlan> = {}, by: Minted = signer) =>
  mintTrustedList(by, { now: NOW, services, ...plan })

/** Returns the certificates that the list names, or why it is refused. */
export async function reading(bytes: Uint8Array, minted: Minted = signer, now = NOW) {
  const read = await readTrustedList(bytes, terms(minted, now))
  return read.outcome === 'refused' ? read.detail : read.list.entries.map(({ certificate }) => Buffer.from(certificate))
}
export const named = (...minted: readonly Minted[]) => minted.map(({ der }) => Buffer.from(der))
export const UNSIGNED = 'the list is not signed under the certificate that was given for it'
export const unread = (why: string) => `the list cannot be read: ${why}`
