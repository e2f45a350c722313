// Turns a presentation into an answer by ISO 18013-7 Annex C: encrypts the device response of the vp_token to the verifier.

import type { Sealed } from '../src/dc-api/hpke.ts'
import { sealHpke } from '../src/dc-api/hpke.ts'
import { annexCTranscript } from '../src/dc-api/transcript.ts'
import type { CborValue } from '../src/encoding/cbor.ts'
import { encodeCbor, mapOf } from '../src/encoding/cbor.ts'
import { fromBase64url, publicJwk, toBase64url } from '../src/keys.ts'
import type { Trial } from './world.ts'
import { ORIGIN } from './world.ts'

export interface SealingHooks {
  readonly plaintext?: Uint8Array
  /** `info` of HPKE. */
  readonly info?: (encryptionInfo: string) => Uint8Array
  readonly sealed?: (sealed: Sealed) => Sealed
  readonly frame?: (parts: ReadonlyMap<CborValue, CborValue>) => CborValue
}

/** The body that a page posts. */
export async function sealAnnexC(trial: Trial, hooks: SealingHooks = {}): Promise<string> {
  const { channel, hpkeKey } = trial.expectations
  if (channel.kind !== 'annex_c') throw new Error('bug: a trial of another channel')
  const info = hooks.info?.(channel.encryptionInfo) ?? annexCTranscript(channel.encryptionInfo, ORIGIN)
  const plaintext = hooks.plaintext ?? presentedIn(trial)
  const usual = await sealHpke({ recipient: publicJwk(hpkeKey), info, plaintext })
  const { enc, cipherText } = hooks.sealed?.(usual) ?? usual
  const parts = mapOf({ enc, cipherText })
  const response = toBase64url(encodeCbor(hooks.frame?.(parts) ?? ['dcapi', parts]))
  return JSON.stringify({ protocol: 'org-iso-mdoc', data: { response } })
}

/** The bytes of the only presentation. */
export function presentedIn({ vpToken }: Trial): Uint8Array {
  const [texts = []] = Object.values((vpToken ?? {}) as { readonly [id: string]: readonly string[] })
  return fromBase64url(String(texts[0]))
}
