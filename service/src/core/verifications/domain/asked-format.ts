import type { CredentialFormat, PresentedFormat } from '@vidimus/engine'

/** What was asked for, and who vouches for it: a proof is about a document, which is an mdoc. */
export function askedFormatOf(presented: PresentedFormat): CredentialFormat {
  return presented === 'mso_mdoc_zk' ? 'mso_mdoc' : presented
}
