// Verifies presentations with independent code: @sd-jwt, @owf/mdoc and OpenSSL.

import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  verify,
  X509Certificate,
} from 'node:crypto'
import {
  CoseKey,
  DeviceAuthentication,
  DeviceResponse,
  type MdocContext,
  SessionTranscript,
  type VerificationAssessment,
  Verifier,
} from '@owf/mdoc'
import { digest, ES256, generateSalt } from '@sd-jwt/crypto-nodejs'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import type { PrivateJwk, PublicJwk } from '../src/keys.ts'
import { fromBase64url, publicJwk, thumbprint } from '../src/keys.ts'

export interface Question {
  readonly clientId: string
  readonly nonce: string
  readonly responseUri: string
  readonly encryptionKey: PrivateJwk | null
  readonly now: number
}

/** Returns the payload if @sd-jwt accepts signature, disclosures and key binding. Throws otherwise. */
export async function verifySdJwt(
  presented: string,
  keys: { issuer: PublicJwk; holder: PublicJwk; statusList: string },
  question: Question,
): Promise<unknown> {
  const instance = new SDJwtVcInstance({
    hasher: digest,
    hashAlg: 'sha-256',
    saltGenerator: generateSalt,
    statusListFetcher: async () => keys.statusList,
    verifier: await ES256.getVerifier({ ...publicJwk(keys.issuer) }),
    kbVerifier: await ES256.getVerifier({ ...publicJwk(keys.holder) }),
  })
  const options = { keyBindingNonce: question.nonce, currentDate: question.now }
  const result = await instance.verify(presented, options)
  return result.payload
}

/** Returns @owf/mdoc's objections to a device response; empty if it accepts the response. */
export async function mdocObjections(
  presented: string,
  trusted: Uint8Array,
  question: Question,
): Promise<readonly string[]> {
  const failed: VerificationAssessment[] = []
  const { encryptionKey } = question
  await Verifier.verifyDeviceResponse(
    {
      deviceResponse: fromBase64url(presented),
      sessionTranscript: await transcriptOf(question),
      trustedCertificates: [trusted],
      now: new Date(question.now * 1000),
      ...(encryptionKey === null ? {} : { ephemeralReaderKey: CoseKey.fromJwk({ ...encryptionKey }) }),
      onCheck: (item: VerificationAssessment) => {
        if (item.status === 'FAILED') failed.push(item)
      },
    },
    context,
  )
  return failed.map((item) => item.reason ?? item.check)
}

/** Checks the MAC separately, because @owf/mdoc refuses every MAC in a whole response: it compares alg 5 with a JOSE name. */
export async function isDeviceMacValid(presented: string, reader: PrivateJwk, question: Question): Promise<boolean> {
  const document = DeviceResponse.decode(fromBase64url(presented)).documents?.[0]
  const mac = document?.deviceSigned.deviceAuth.deviceMac
  if (document === undefined || mac === undefined) return false
  const sessionTranscript = await transcriptOf(question)
  const { docType, deviceSigned, issuerSigned } = document
  mac.detachedPayload = DeviceAuthentication.create({
    sessionTranscript,
    docType,
    deviceNamespaces: deviceSigned.deviceNamespaces,
  }).encode({ asDataItem: true })
  // RFC 9052 6.3: external_aad is an empty byte string if there is none; the library leaves it out.
  mac.externalAad = new Uint8Array()
  const { deviceKey } = issuerSigned.issuerAuth.mobileSecurityObject.deviceKeyInfo
  return mac.verify(
    { publicKey: deviceKey, privateKey: CoseKey.fromJwk({ ...reader }), sessionTranscript, info: 'EMacKey' },
    context,
  )
}

function transcriptOf(question: Question): Promise<SessionTranscript> {
  const { clientId, nonce, responseUri, encryptionKey } = question
  const key = encryptionKey === null ? {} : { jwkThumbprint: thumbprint(encryptionKey) }
  return SessionTranscript.forOid4Vp({ clientId, nonce, responseUri, ...key }, context)
}

const context: MdocContext = {
  crypto: {
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    digest: ({ digestAlgorithm, bytes }) =>
      new Uint8Array(createHash(digestAlgorithm.replace('-', '')).update(bytes).digest()),
    calculateEphemeralMacKey: ({ privateKey, publicKey, sessionTranscriptBytes, info }) => {
      const secret = diffieHellman({ privateKey: privateOf(privateKey), publicKey: publicOf(publicKey) })
      const salt = createHash('sha256').update(sessionTranscriptBytes).digest()
      return CoseKey.create({ keyType: 4, k: new Uint8Array(hkdfSync('sha256', secret, salt, info, 32)) })
    },
  },
  cose: {
    sign1: {
      sign: () => {
        throw new Error('the oracle only verifies')
      },
      verify: ({ key, sign1 }) =>
        verify(
          'sha256',
          sign1.toBeSigned,
          { key: publicOf(key.publicKey), dsaEncoding: 'ieee-p1363' },
          sign1.signature,
        ),
    },
    mac0: {
      sign: () => {
        throw new Error('the oracle only verifies')
      },
      verify: ({ key, mac0 }) =>
        createHmac('sha256', key.privateKey).update(mac0.toBeAuthenticated).digest().equals(mac0.tag),
    },
  },
  x509: {
    getIssuerNameField: ({ certificate, field }) =>
      new X509Certificate(certificate).issuer
        .split('\n')
        .filter((line) => line.startsWith(`${field}=`))
        .map((line) => line.slice(field.length + 1)),
    getPublicKey: ({ certificate }) => {
      const { kty, crv, x, y } = new X509Certificate(certificate).publicKey.export({ format: 'jwk' })
      return CoseKey.fromJwk({ kty, crv, x, y })
    },
    verifyCertificateChain: ({ trustedCertificates, x5chain }) => {
      const [leaf, anchor] = [x5chain[0], trustedCertificates[0]].map(
        (der) => new X509Certificate(der ?? new Uint8Array()),
      )
      if (leaf === undefined || anchor === undefined) throw new Error('a certificate is missing')
      if (!leaf.checkIssued(anchor) || !leaf.verify(anchor.publicKey)) throw new Error('the chain does not close')
    },
    getCertificateData: ({ certificate }) => {
      const parsed = new X509Certificate(certificate)
      return {
        issuerName: parsed.issuer,
        subjectName: parsed.subject,
        serialNumber: parsed.serialNumber,
        thumbprint: parsed.fingerprint256,
        notBefore: parsed.validFromDate,
        notAfter: parsed.validToDate,
        pem: parsed.toString(),
      }
    },
  },
}

function publicOf(point: Uint8Array) {
  const half = (point.length - 1) / 2
  const [x, y] = [point.slice(1, 1 + half), point.slice(1 + half)].map((part) =>
    Buffer.from(part).toString('base64url'),
  )
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' })
}

/** Derives the public point from the private number that @owf/mdoc passes, by importing it as SEC1. */
function privateOf(secret: Uint8Array) {
  const sec1 = Buffer.concat([
    Buffer.from('30310201010420', 'hex'),
    secret,
    Buffer.from('a00a06082a8648ce3d030107', 'hex'),
  ])
  return createPrivateKey({ key: sec1, format: 'der', type: 'sec1' })
}
