// Mints trusted lists in XML, valid and invalid.

import { createHash, type KeyObject, sign } from 'node:crypto'

export const DS = 'http://www.w3.org/2000/09/xmldsig#'
export const XADES = 'http://uri.etsi.org/01903/v1.3.2#'
const AGES = 'http://trust.tech.ec.europa.eu/lists/age-verification'
export const AGE_LIST = {
  type: `${AGES}/tsl-type`,
  service: `${AGES}/service-type/paa`,
  recognized: `${AGES}/service-status/recognized`,
  deprecated: `${AGES}/service-status/deprecated`,
} as const

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const MORE = 'http://www.w3.org/2001/04/xmldsig-more#'

export interface ListSigner {
  readonly der: Uint8Array
  readonly privateKey: KeyObject
}

export interface ServicePlan {
  readonly type?: string
  readonly status?: string
  readonly since?: string
  /** The content of ServiceDigitalIdentity. */
  readonly identity?: string
  /** The elements after the digital identity in ServiceInformation. */
  readonly more?: string
  /** The elements after ServiceInformation. */
  readonly history?: string
}

/** Each change except `document` is made before the part is signed. */
export interface TrustedListPlan {
  /** Unix seconds. */
  readonly now: number
  readonly services?: readonly ServicePlan[]
  readonly sequence?: string
  readonly issued?: string
  readonly next?: string
  readonly type?: string
  readonly version?: string
  readonly list?: (canonical: string) => string
  readonly info?: (canonical: string) => string
  readonly properties?: (canonical: string) => string
  readonly reference?: string
  readonly hash?: 'sha1' | 'sha256' | 'sha384' | 'sha512'
  readonly method?: string
  readonly digest?: 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512'
  readonly digestMethod?: string
  /** The signature itself, instead of one by the signer's key. */
  readonly signWith?: (info: Buffer) => Buffer
  /** The certificate in KeyInfo; by default the signer's. */
  readonly keyInfo?: Uint8Array
  readonly document?: (written: string) => string
}

export const isoTime = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** Writes the certificate in lines with white space, as in published lists. */
export const certificateIdentity = (der: Uint8Array) =>
  `<DigitalId>\n  <X509Certificate>\n${base64(der).replace(/.{76}/g, '$&\n')}\n  </X509Certificate>\n</DigitalId>`

function serviceXml(plan: ServicePlan, now: number): string {
  const { type = AGE_LIST.service, status = AGE_LIST.recognized, since = isoTime(now - 86_400) } = plan
  return `<TSPService><ServiceInformation><ServiceTypeIdentifier>${type}</ServiceTypeIdentifier><ServiceName><Name xml:lang="en">Proofs of age &amp; more</Name></ServiceName><ServiceDigitalIdentity>${plan.identity ?? ''}</ServiceDigitalIdentity><ServiceStatus>\n  ${status}</ServiceStatus><StatusStartingTime>${since}</StatusStartingTime>${plan.more ?? ''}</ServiceInformation>${plan.history ?? ''}</TSPService>`
}

const ROOT =
  '<TrustServiceStatusList xmlns="http://uri.etsi.org/02231/v2#" Id="list" TSLTag="http://uri.etsi.org/19612/TSLTag">'
/** An opening tag as it is written in the document. */
const WRITTEN_ROOT = `<TrustServiceStatusList TSLTag='http://uri.etsi.org/19612/TSLTag'
   xmlns:unused="urn:example:unused" xmlns="http://uri.etsi.org/02231/v2#" Id="list" >`
const END = '</TrustServiceStatusList>'

/** Writes the list in canonical form without the tested code, so that this code does not decide what is signed. */
export function canonicalList(plan: TrustedListPlan): string {
  const { now, services = [], sequence = '7', type = AGE_LIST.type, version = '6' } = plan
  const issued = plan.issued ?? isoTime(now - 60)
  const next = plan.next ?? `<NextUpdate><dateTime>${isoTime(now + 30 * 86_400)}</dateTime></NextUpdate>`
  const information = `<SchemeInformation>
  <TSLVersionIdentifier>${version}</TSLVersionIdentifier><TSLSequenceNumber>${sequence}</TSLSequenceNumber><TSLType>${type}</TSLType>
  <SchemeOperatorName><Name xml:lang="de">Eine Behörde</Name><Name xml:lang="en">An invented authority</Name></SchemeOperatorName>
  <ListIssueDateTime>${issued}</ListIssueDateTime>${next}</SchemeInformation>`
  const provided = services.map((service) => serviceXml(service, now)).join('\n')
  const providers = `<TrustServiceProviderList><TrustServiceProvider><TSPInformation><TSPName><Name xml:lang="en">Provider</Name></TSPName></TSPInformation><TSPServices>${provided}</TSPServices></TrustServiceProvider></TrustServiceProviderList>`
  const canonical = `${ROOT}${information}${providers}${END}`
  return plan.list?.(canonical) ?? canonical
}

/** Mints a list whose signature is the last child of the root. */
export function mintTrustedList(signer: ListSigner, plan: TrustedListPlan): Buffer {
  const canonical = canonicalList(plan)
  const signature = mintSignature(signer, canonical, plan)
  const written = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n${canonical.replace(ROOT, WRITTEN_ROOT).replace(new RegExp(`${END}$`), `${signature}${END}`)}\n`
  return Buffer.from(plan.document?.(written) ?? written)
}

/** Writes a document in a usual form: namespaces declared once, empty tags without content. */
function asWritten(canonical: string): string {
  return canonical
    .replaceAll(` xmlns:ds="${DS}"`, '')
    .replaceAll(` xmlns:xades="${XADES}"`, '')
    .replaceAll(/<(ds:\w+)([^<>]*)><\/\1>/g, '<$1$2/>')
}

const DIGEST_METHODS = {
  md5: `${MORE}md5`,
  sha1: `${DS}sha1`,
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha384: `${MORE}sha384`,
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
} as const

/** Signs a list in canonical form. Returns the signature as it is written in the document. */
export function mintSignature(signer: ListSigner, canonical: string, plan: TrustedListPlan): string {
  const { hash = 'sha256', digest = 'sha256', reference = '', keyInfo = signer.der } = plan
  const kind = signer.privateKey.asymmetricKeyType === 'rsa' ? 'rsa' : 'ecdsa'
  const method = plan.method ?? (hash === 'sha1' ? `${DS}rsa-sha1` : `${MORE}${kind}-${hash}`)
  const certDigest = createHash('sha256').update(keyInfo).digest('base64')
  const signedProperties = `<xades:SignedProperties xmlns:xades="${XADES}" Id="properties"><xades:SignedSignatureProperties><xades:SigningTime>${isoTime(plan.now - 60)}</xades:SigningTime><xades:SigningCertificateV2><xades:Cert><xades:CertDigest><ds:DigestMethod xmlns:ds="${DS}" Algorithm="${DIGEST_METHODS.sha256}"></ds:DigestMethod><ds:DigestValue xmlns:ds="${DS}">${certDigest}</ds:DigestValue></xades:CertDigest></xades:Cert></xades:SigningCertificateV2></xades:SignedSignatureProperties></xades:SignedProperties>`
  const properties = plan.properties?.(signedProperties) ?? signedProperties
  const algorithm = (name: string, uri: string) => `<ds:${name} Algorithm="${uri}"></ds:${name}>`
  const referenceTo = (attributes: string, transforms: readonly string[], content: string) =>
    `<ds:Reference${attributes}><ds:Transforms>${transforms.map((uri) => algorithm('Transform', uri)).join('')}</ds:Transforms>${algorithm('DigestMethod', plan.digestMethod ?? DIGEST_METHODS[digest])}<ds:DigestValue>${createHash(digest).update(content).digest('base64')}</ds:DigestValue></ds:Reference>`
  const whole = `<ds:SignedInfo xmlns:ds="${DS}">${algorithm('CanonicalizationMethod', EXCLUSIVE)}${algorithm('SignatureMethod', method)}${referenceTo(` Id="reference" URI="${reference}"`, [`${DS}enveloped-signature`, EXCLUSIVE], canonical)}${referenceTo(` Type="http://uri.etsi.org/01903#SignedProperties" URI="#properties"`, [EXCLUSIVE], properties)}</ds:SignedInfo>`
  const info = plan.info?.(whole) ?? whole
  const value =
    plan.signWith?.(Buffer.from(info)) ??
    sign(hash, Buffer.from(info), { key: signer.privateKey, dsaEncoding: 'ieee-p1363' })
  const lines = value.toString('base64').replace(/.{76}/g, '$&&#13;\n')
  return `<ds:Signature xmlns:ds="${DS}" Id="signature">${asWritten(info)}<ds:SignatureValue>\n${lines}\n</ds:SignatureValue><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${base64(keyInfo)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo><ds:Object><xades:QualifyingProperties xmlns:xades="${XADES}" Target="#signature">${asWritten(properties)}</xades:QualifyingProperties></ds:Object></ds:Signature>`
}
