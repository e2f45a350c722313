// The providers that are configured, each opened at its first use.

import { readFile } from 'node:fs/promises'
import type { KeySettings } from '../config/key-settings.ts'
import { KeyFailure, type KeyProvider } from './key-provider.ts'
import type { KeyScheme } from './key-reference.ts'

/** Throws a KeyFailure if a provider is not configured: no other one takes its place. */
export function createProvide(settings: KeySettings): (scheme: KeyScheme) => Promise<KeyProvider> {
  const openers: Readonly<Record<KeyScheme, () => Promise<KeyProvider>>> = {
    pkcs11: () => openPkcs11(settings),
  }
  return (scheme) => openers[scheme]()
}

async function openPkcs11({ pkcs11 }: KeySettings): Promise<KeyProvider> {
  if (pkcs11 === null) throw new KeyFailure('refused', 'VIDIMUS_PKCS11_MODULE and VIDIMUS_PKCS11_PIN_FILE are not set')
  const { createPkcs11 } = await import('./pkcs11.ts')
  const pin = await readFile(pkcs11.pinFile, 'utf8').catch(() => {
    throw new KeyFailure('refused', 'the file that VIDIMUS_PKCS11_PIN_FILE names cannot be read')
  })
  return createPkcs11({ module: pkcs11.module, pin: pin.trim() })
}
