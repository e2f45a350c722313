// The supported protocols of the Digital Credentials API, by the names that browsers use.

export const OPENID4VP_PROTOCOLS = ['openid4vp-v1-unsigned', 'openid4vp-v1-signed', 'openid4vp-v1-multisigned'] as const
export const ISO_PROTOCOL = 'org-iso-mdoc'

export type OpenId4VpProtocol = (typeof OPENID4VP_PROTOCOLS)[number]
export type DcApiProtocol = OpenId4VpProtocol | typeof ISO_PROTOCOL
