// As queries, anchors and results name mdocs (OpenID4VP B.2).

export const MDOC = 'mso_mdoc'

/** What an anchor vouches for that vouches for mdocs of every type. */
export const EVERY_DOCUMENT = `${MDOC}:*` as const

/** What an anchor vouches for that vouches for mdocs of this type. */
export const vouchedDocType = (docType: string) => `${MDOC}:${docType}` as const

/** The docType, or `*`, of what an anchor vouches for; null: it is no mdoc. */
export const docTypeOf = (vouched: string): string | null =>
  vouched.startsWith(`${MDOC}:`) ? vouched.slice(MDOC.length + 1) : null

/** Age attestations of the EU: for one use, without a status. */
export const AGE_DOCTYPE = 'eu.europa.ec.av.1'
