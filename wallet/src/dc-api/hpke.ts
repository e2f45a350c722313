// Encrypts to a verifier by HPKE (RFC 9180, base mode) with @hpke/core, independent of the engine.

import { Aes128Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import type { PrivateJwk, PublicJwk } from '../keys.ts'
import { generateKey, publicJwk } from '../keys.ts'

export interface Sealed {
  /** The ephemeral public key, uncompressed. */
  readonly enc: Uint8Array
  readonly cipherText: Uint8Array
}

export interface Sealing {
  readonly recipient: PublicJwk
  readonly info: Uint8Array
  readonly aad?: Uint8Array
  readonly plaintext: Uint8Array
  /** Default: a new one. */
  readonly ephemeral?: PrivateJwk
}

const SUITE = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes128Gcm(),
})

export async function sealHpke(sealing: Sealing): Promise<Sealed> {
  const ephemeral = sealing.ephemeral ?? generateKey()
  const sender = await SUITE.createSenderContext({
    recipientPublicKey: await SUITE.kem.importKey('jwk', { ...publicJwk(sealing.recipient) }, true),
    info: copyOf(sealing.info),
    ekm: {
      publicKey: await SUITE.kem.importKey('jwk', { ...publicJwk(ephemeral) }, true),
      privateKey: await SUITE.kem.importKey('jwk', { ...publicJwk(ephemeral), d: ephemeral.d }, false),
    },
  })
  const cipherText = await sender.seal(copyOf(sealing.plaintext), copyOf(sealing.aad ?? new Uint8Array(0)))
  return { enc: new Uint8Array(sender.enc), cipherText: new Uint8Array(cipherText) }
}

/** Copies the bytes into a separate buffer, as the library requires. */
const copyOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer
