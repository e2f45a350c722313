// A certificate authority for one test, and server certificates for its names.

// The certificate library must find this when it is loaded.
import 'reflect-metadata'

import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) }
const DAY = 86_400_000

export interface ServerCertificate {
  readonly cert: string
  readonly key: string
}

interface CertificateOptions {
  readonly names?: readonly string[]
  readonly ip?: string
  readonly expired?: boolean
  /** Its key is an RSA key. */
  readonly rsa?: boolean
}

export interface Authority {
  readonly pem: string
  issue(options: CertificateOptions): Promise<ServerCertificate>
  /** Self-signed. */
  selfSigned(name: string): Promise<ServerCertificate>
}

export async function makeAuthority(name = 'Egress test root'): Promise<Authority> {
  const keys = await newKeys()
  const root = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    notBefore: new Date(Date.now() - 30 * DAY),
    notAfter: new Date(Date.now() + DAY),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    ],
  })
  return { pem: root.toString('pem'), issue: (options) => issue(root, keys.privateKey, options), selfSigned }
}

async function selfSigned(name: string): Promise<ServerCertificate> {
  const keys = await newKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=Egress test receiver',
    keys,
    notBefore: new Date(Date.now() - DAY),
    notAfter: new Date(Date.now() + DAY),
    signingAlgorithm: ALGORITHM,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: name }])],
  })
  return { cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) }
}

async function issue(
  root: X509Certificate,
  signingKey: CryptoKey,
  options: CertificateOptions,
): Promise<ServerCertificate> {
  const keys = options.rsa === true ? await crypto.subtle.generateKey(RSA, true, ['sign', 'verify']) : await newKeys()
  const alternatives = [
    ...(options.names ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(options.ip === undefined ? [] : [{ type: 'ip' as const, value: options.ip }]),
  ]
  const certificate = await X509CertificateGenerator.create({
    subject: 'CN=Egress test receiver',
    issuer: root.subject,
    publicKey: keys.publicKey,
    signingKey,
    notBefore: new Date(Date.now() - 20 * DAY),
    notAfter: new Date(Date.now() + (options.expired === true ? -DAY : DAY)),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new SubjectAlternativeNameExtension(alternatives),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    ],
  })
  return { cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) }
}

async function pemOf(key: CryptoKey): Promise<string> {
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`
}

function newKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
}
