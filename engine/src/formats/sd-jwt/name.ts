/** As queries, anchors and results name SD-JWT VCs; also the `typ` of the issuer's JWT (SD-JWT VC §3.2.1). */
export const SD_JWT = 'dc+sd-jwt'
