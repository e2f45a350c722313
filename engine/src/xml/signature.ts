// Verifies an enveloped XML signature (the form of ETSI TS 119 612 §5.7.1), and returns the signed bytes.

import { constants, hash, type KeyObject, verify } from 'node:crypto'
import { equalBytes, isKey } from '../bytes.ts'
import { canonicalXml } from './canonical.ts'
import { MalformedXml, parseXml, type XmlElement } from './parse.ts'
import {
  attributeOf,
  bytesOf,
  countNamed,
  elementIn,
  elementsNamed,
  elementsOf,
  identifiersIn,
  isNamed,
  type XmlName,
} from './read.ts'

const ds = (name: string): XmlName => ({ namespace: 'http://www.w3.org/2000/09/xmldsig#', name })
const xades = (name: string): XmlName => ({ namespace: 'http://uri.etsi.org/01903/v1.3.2#', name })

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
const SIGNED_PROPERTIES = 'http://uri.etsi.org/01903#SignedProperties'

interface SignatureMethod {
  readonly keyType: 'rsa' | 'ec'
  readonly hash: 'sha256' | 'sha384' | 'sha512'
}

/** RFC 9231 §2.1, §2.3. Methods that are not listed are refused, such as SHA-1, MD5 and every MAC. */
const SIGNATURE_METHODS: ReadonlyMap<string, SignatureMethod> = new Map([
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', { keyType: 'rsa', hash: 'sha256' }],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha384', { keyType: 'rsa', hash: 'sha384' }],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', { keyType: 'rsa', hash: 'sha512' }],
  ['http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256', { keyType: 'ec', hash: 'sha256' }],
  ['http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384', { keyType: 'ec', hash: 'sha384' }],
  ['http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512', { keyType: 'ec', hash: 'sha512' }],
])

const DIGEST_METHODS: ReadonlyMap<string, SignatureMethod['hash']> = new Map([
  ['http://www.w3.org/2001/04/xmlenc#sha256', 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#sha384', 'sha384'],
  ['http://www.w3.org/2001/04/xmlenc#sha512', 'sha512'],
])

/**
 * Returns the canonical root element without its signature; null if this key did not sign it. Use only these bytes, not
 * the document. Ignores `KeyInfo`.
 */
export function signedContent(root: XmlElement, key: KeyObject, elementsMax?: number): Uint8Array | null {
  const signature = signatureOf(root)
  const [first, second] = elementsOf(signature)
  if (first === undefined || !isNamed(first, ds('SignedInfo'))) throw new MalformedXml('SignedInfo is missing')
  if (second === undefined || !isNamed(second, ds('SignatureValue')))
    throw new MalformedXml('SignatureValue is missing')
  if (elementsNamed(signature, ds('SignedInfo')).length > 1) throw new MalformedXml('SignedInfo appears twice')
  const infoBytes = canonicalXml(first)
  const info = readSignedInfo(parseXml(infoBytes, elementsMax))
  if (!isSigned({ bytes: infoBytes, value: bytesOf(second) }, info.method, key)) return null
  if (!covers(root, info.references)) return null
  const content = canonicalXml(root, signature)
  const holds = info.references.every((reference) => {
    const referred = reference.isProperties ? propertiesBytes(signature, reference) : content
    return equalBytes(hash(reference.hash, referred, 'buffer'), reference.digest)
  })
  return holds ? content : null
}

/**
 * Returns the only signature, which is directly in the root. With several signatures or duplicate ids, two readers
 * could pick different elements.
 */
function signatureOf(root: XmlElement): XmlElement {
  const count = countNamed(root, ds('Signature'))
  if (count === 0) throw new MalformedXml('it has no signature')
  if (count > 1) throw new MalformedXml('it has several signatures')
  const identifiers = [...identifiersIn(root)]
  if (!identifiers.every(isKey)) throw new MalformedXml('an identifier is too long')
  if (new Set(identifiers).size !== identifiers.length) throw new MalformedXml('two elements have the same identifier')
  return elementIn(root, ds('Signature'))
}

interface Reference {
  readonly uri: string
  /** Whether it refers to the properties of the signature instead of the document. */
  readonly isProperties: boolean
  readonly hash: SignatureMethod['hash']
  readonly digest: Uint8Array
}

interface SignedInfo {
  readonly method: SignatureMethod
  readonly references: readonly Reference[]
}

function readSignedInfo(info: XmlElement): SignedInfo {
  const [canonicalization, signing, ...references] = elementsOf(info)
  if (algorithmOf(canonicalization, 'CanonicalizationMethod') !== EXCLUSIVE)
    throw new MalformedXml('its canonicalization is not supported')
  const method = SIGNATURE_METHODS.get(algorithmOf(signing, 'SignatureMethod'))
  if (method === undefined) throw new MalformedXml('its signature method is not supported')
  return { method, references: references.map(readReference) }
}

/** Returns the algorithm that an element names. Throws if the algorithm has parameters. */
function algorithmOf(element: XmlElement | undefined, name: string): string {
  if (element === undefined || !isNamed(element, ds(name))) throw new MalformedXml(`${name} is missing`)
  const algorithm = attributeOf(element, 'Algorithm')
  if (algorithm === null || elementsOf(element).length > 0) throw new MalformedXml(`${name} cannot be read`)
  return algorithm
}

function readReference(reference: XmlElement): Reference {
  if (!isNamed(reference, ds('Reference'))) throw new MalformedXml('SignedInfo has something that is not a reference')
  const [transforms, method, value, ...more] = elementsOf(reference)
  if (transforms === undefined || !isNamed(transforms, ds('Transforms')))
    throw new MalformedXml('Transforms is missing')
  if (value === undefined || !isNamed(value, ds('DigestValue')) || more.length > 0)
    throw new MalformedXml('DigestValue is missing')
  const isProperties = attributeOf(reference, 'Type') === SIGNED_PROPERTIES
  const applied = elementsOf(transforms).map((transform) => algorithmOf(transform, 'Transform'))
  if (applied.join(' ') !== (isProperties ? EXCLUSIVE : `${ENVELOPED} ${EXCLUSIVE}`))
    throw new MalformedXml('its transforms are not supported')
  const digestMethod = DIGEST_METHODS.get(algorithmOf(method, 'DigestMethod'))
  if (digestMethod === undefined) throw new MalformedXml('its digest method is not supported')
  const uri = attributeOf(reference, 'URI')
  if (uri === null) throw new MalformedXml('a reference has no URI')
  return { uri, isProperties, hash: digestMethod, digest: bytesOf(value) }
}

function isSigned(
  { bytes, value }: { readonly bytes: Uint8Array; readonly value: Uint8Array },
  method: SignatureMethod,
  key: KeyObject,
): boolean {
  if (key.asymmetricKeyType !== method.keyType) return false
  try {
    // `dsaEncoding` is for EC keys, `padding` for RSA keys.
    return verify(method.hash, bytes, { key, dsaEncoding: 'ieee-p1363', padding: constants.RSA_PKCS1_PADDING }, value)
  } catch {
    return false
  }
}

/** Whether there is exactly one reference to the document, at most one to the signature's properties, and no other. */
function covers(root: XmlElement, references: readonly Reference[]): boolean {
  const documents = references.filter(({ isProperties }) => !isProperties)
  const [document] = documents
  if (document === undefined || documents.length > 1 || references.length > 2) return false
  const id = attributeOf(root, 'Id')
  return document.uri === '' || (id !== null && document.uri === `#${id}`)
}

/** Returns the XAdES properties. Their content is not used, but the signature covers it. */
function propertiesBytes(signature: XmlElement, { uri }: Reference): Uint8Array {
  const all = elementsNamed(signature, ds('Object'))
    .flatMap((object) => elementsNamed(object, xades('QualifyingProperties')))
    .flatMap((qualifying) => elementsNamed(qualifying, xades('SignedProperties')))
  const [properties, ...more] = all
  if (properties === undefined || more.length > 0 || uri !== `#${attributeOf(properties, 'Id')}`)
    throw new MalformedXml('the properties of the signature are missing')
  return canonicalXml(properties)
}
