// Verifies device authentication over the transcript of our request (ISO 18013-5 §12.4).

import { createHmac, diffieHellman, hash, hkdfSync, type KeyObject } from 'node:crypto'
import { SIGNATURE_ALGORITHMS } from '../../algorithms.ts'
import { equalBytes } from '../../bytes.ts'
import { algorithmId, type CoseMessage, coveredBytes, isSignedWithStated } from '../../cbor/cose.ts'
import { readCoseKey } from '../../cbor/cose-key.ts'
import { encodeEmbedded } from '../../cbor/encode.ts'
import { hasReaderKey, sessionTranscripts } from '../../channels/table.ts'
import type { CheckLog, Demand, Fault } from '../../examination.ts'
import type { SentRequest } from '../../expected.ts'
import { disproven, type HolderProof, holderFault, judgeHolderProof, proofBySignature } from '../../holder.ts'
import { importKey, type StatedKey } from '../../jose.ts'
import { type Budget, OVERSPENT, spendSignature } from '../../limits.ts'
import { logConfirming } from '../../transaction/confirmation.ts'
import { readDeviceConfirmations } from '../../transaction/device-signed.ts'
import type { Confirmation } from '../../verdict.ts'
import type { Mdoc } from './parse.ts'
import { deviceAuthenticationBytes } from './transcript.ts'

/** Checks device authentication, which is always required. Returns the transaction data that the holder confirmed. */
export function checkDevice(mdoc: Mdoc, demand: Demand, log: CheckLog): readonly Confirmation[] {
  const { expected, budget, query } = demand
  const device = readCoseKey(mdoc.mso.deviceKey, budget)
  // One signature over the transcript proves possession of the key, and binds the presentation to our request.
  const proof = device === null ? NO_KEY : readProof(mdoc, device, expected, budget)
  if (judgeHolderProof(log, proof)) {
    log.pass('bound_to_request')
    log.pass('bound_to_presentation')
  }
  // Elements that the device was not permitted to sign do not count.
  if (!log.judge('device_claims_authorised', authorisationFault(mdoc))) return []
  return logConfirming(log, readDeviceConfirmations(mdoc, expected, query.id))
}

const NO_KEY: HolderProof = { outcome: 'no_key' }

function readProof(mdoc: Mdoc, device: StatedKey, expected: SentRequest, budget: Budget): HolderProof {
  const { kind, message } = mdoc.deviceAuth
  // ISO 18013-5 §12.4.4: the payload is computed here. A received payload is refused.
  if (message.payload !== null) return disproven('the device authentication brings its own payload')
  let proof = disproven('the presentation was made for no request of ours')
  for (const transcript of sessionTranscripts(expected)) {
    // Pays for a signature, because a key agreement costs as much.
    const signedBytes = mdoc.deviceNameSpaces.raw.length
    if (!spendSignature(budget, SIGNATURE_ALGORITHMS[device.algorithm].crv, signedBytes)) return disproven(OVERSPENT)
    const payload = deviceAuthenticationBytes(transcript, mdoc.docType, mdoc.deviceNameSpaces.raw)
    proof =
      kind === 'signature'
        ? proofBySignature(isSignedWithStated(message, device, payload), UNSIGNED)
        : proofByMac(message, payload, {
            device: importKey(device)?.key ?? null,
            reader: readerKeyOf(expected),
            transcript,
          })
    if (proof.outcome !== 'disproven') return proof
  }
  return proof
}

/** ISO 18013-7 B.4.5: the key of the encrypted response. Annex C and unencrypted responses have none. */
function readerKeyOf({ channel, encryption }: SentRequest): KeyObject | null {
  return hasReaderKey(channel.kind) ? (encryption?.privateKey ?? null) : null
}

const UNSIGNED = "the presentation is not signed with the holder's key for this request"

/** HMAC 256/256, the only MAC of ISO 18013-5 §12.4.5. */
const HMAC_256 = 5

interface Agreement {
  /** null if the device key is not valid. */
  readonly device: KeyObject | null
  /** null if the request has no such key. */
  readonly reader: KeyObject | null
  readonly transcript: Uint8Array
}

function proofByMac(message: CoseMessage, payload: Uint8Array, agreement: Agreement): HolderProof {
  if (agreement.device === null) return NO_KEY
  if (algorithmId(message) !== HMAC_256) return disproven('the device MAC has an algorithm that is not accepted')
  const key = macKey({ ...agreement, device: agreement.device })
  if (key === null) return disproven('a device MAC cannot be made for this request')
  const tag = createHmac('sha256', key)
    .update(coveredBytes('MAC0', message, payload))
    .digest()
  return equalBytes(tag, message.seal)
    ? { outcome: 'proven' }
    : disproven("the presentation is not authenticated with the holder's key")
}

/** EMacKey of ISO 18013-5 §12.4.5; null if the two keys are on different curves. */
function macKey({ device, reader, transcript }: Agreement & { readonly device: KeyObject }): Uint8Array | null {
  const curve = reader?.asymmetricKeyDetails?.namedCurve
  if (reader === null || curve === undefined || device.asymmetricKeyDetails?.namedCurve !== curve) return null
  const secret = diffieHellman({ privateKey: reader, publicKey: device })
  const salt = hash('sha256', encodeEmbedded(transcript), 'buffer')
  return new Uint8Array(hkdfSync('sha256', secret, salt, 'EMacKey', 32))
}

/** ISO 18013-5 §12.3.4: the device may sign only elements that the issuer authorised, and none that the issuer signed. */
function authorisationFault({ mso, items, deviceNameSpaces }: Mdoc): Fault | null {
  if (deviceNameSpaces.elements.length === 0) return null
  const { nameSpaces, elements } = mso.authorizations
  const issued = new Map<string, Set<string>>()
  for (const { nameSpace, element } of items) {
    const ofSpace = issued.get(nameSpace) ?? new Set()
    issued.set(nameSpace, ofSpace.add(element))
  }
  for (const { nameSpace, element } of deviceNameSpaces.elements) {
    if (!nameSpaces.has(nameSpace) && elements.get(nameSpace)?.has(element) !== true) {
      return holderFault('the device signed an element that the issuer did not authorise it to sign')
    }
    if (issued.get(nameSpace)?.has(element) === true) {
      return holderFault('the device signed an element that the issuer signed too')
    }
  }
  return null
}
