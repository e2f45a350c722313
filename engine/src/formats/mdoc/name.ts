// The name of mdocs in queries, anchors and results (OpenID4VP B.2), and what anchors vouch for.

export const MDOC = 'mso_mdoc'

/** An anchor with this type vouches for mdocs of every type. */
export const EVERY_DOCUMENT = `${MDOC}:*` as const

/** An anchor with this type vouches for mdocs of this docType. */
export const vouchedDocType = (docType: string) => `${MDOC}:${docType}` as const

/** Returns the docType that an anchor's type names, or `*`; null if the type is not for mdocs. */
export const docTypeOf = (vouched: string): string | null =>
  vouched.startsWith(`${MDOC}:`) ? vouched.slice(MDOC.length + 1) : null

/** The docType of EU age attestations, which are used once and have no status. */
export const AGE_DOCTYPE = 'eu.europa.ec.av.1'
