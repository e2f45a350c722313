/** The name of SD-JWT VCs in queries, anchors and results, and the `typ` of the issuer's JWT (SD-JWT VC §3.2.1). */
export const SD_JWT = 'dc+sd-jwt'
