// A software passkey: answers what the dashboard requests from an authenticator (WebAuthn Level 3 §6), without a browser.

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const ORIGIN = 'https://verify.example.com'
const FLAGS = { present: 0x01, verified: 0x04, attested: 0x40 } as const

export interface SoftwarePasskey {
  readonly id: string
  /** What a browser sends to add it. */
  register(challenge: string): object
  /** What a browser sends to sign in with it. */
  answer(challenge: string): object
}

export function createPasskey(): SoftwarePasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const rawId = randomBytes(16)
  const id = rawId.toString('base64url')
  const credential = { id, rawId: id, type: 'public-key', clientExtensionResults: {} }
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  // COSE_Key: EC2, ES256, P-256 (RFC 9053 §7.1.1).
  const key = [hex('a5010203262001215820'), Buffer.from(x, 'base64url'), hex('225820'), Buffer.from(y, 'base64url')]
  return {
    id,
    register(challenge) {
      const attested = [Buffer.alloc(16), hex('0010'), rawId, ...key]
      const data = Buffer.concat([authenticatorData(FLAGS.attested), ...attested])
      // { fmt: 'none', attStmt: {}, authData }
      const object = [
        hex('a363666d74646e6f6e656761747453746d74a068617574684461746158'),
        Buffer.from([data.length]),
        data,
      ]
      const attestationObject = Buffer.concat(object).toString('base64url')
      const clientDataJSON = clientData('webauthn.create', challenge).toString('base64url')
      return { ...credential, response: { clientDataJSON, attestationObject } }
    },
    answer(challenge) {
      const client = clientData('webauthn.get', challenge)
      const data = authenticatorData(0)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url')
      const [clientDataJSON, authData] = [client.toString('base64url'), data.toString('base64url')]
      return { ...credential, response: { clientDataJSON, authenticatorData: authData, signature } }
    },
  }
}

/** The counter stays at zero, like the counter of synchronised passkeys. */
function authenticatorData(flags: number): Buffer {
  const head = Buffer.from([FLAGS.present | FLAGS.verified | flags, 0, 0, 0, 0])
  return Buffer.concat([sha256(Buffer.from(new URL(ORIGIN).hostname)), head])
}

const clientData = (type: string, challenge: string) => Buffer.from(JSON.stringify({ type, challenge, origin: ORIGIN }))
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()
const hex = (text: string) => Buffer.from(text, 'hex')
