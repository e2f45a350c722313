// Logs the checks of the holder's proof of possession, for both formats.

import type { CheckLog, Fault } from './examination.ts'

export type HolderProof =
  | { readonly outcome: 'proven' }
  | { readonly outcome: 'disproven'; readonly fault: Fault }
  /** The credential names no key, or a key that is not a point of its curve. So possession cannot be proved. */
  | { readonly outcome: 'no_key' }

/** Adds both checks that the proof covers. Returns whether possession of the key was proved. */
export function judgeHolderProof(log: CheckLog, proof: HolderProof): boolean {
  switch (proof.outcome) {
    case 'no_key':
      log.judge('holder_key_present', holderFault('the credential does not name a usable public key of its holder'))
      return false
    case 'disproven':
      log.pass('holder_key_present')
      return log.judge('holder_signature_valid', proof.fault)
    case 'proven':
      log.pass('holder_key_present')
      log.pass('holder_signature_valid')
      return true
  }
}

export function disproven(detail: string): HolderProof {
  return { outcome: 'disproven', fault: holderFault(detail) }
}

/** Converts the result of verifying a signature; null: the key is not valid. */
export function proofBySignature(isSigned: boolean | null, detail: string): HolderProof {
  if (isSigned === null) return { outcome: 'no_key' }
  return isSigned ? { outcome: 'proven' } : disproven(detail)
}

export function holderFault(detail: string): Fault {
  return { code: 'holder_binding_invalid', detail }
}
