// Opens each configured key provider at its first use. key-reference.ts defines the names of keys.

import { readFile } from 'node:fs/promises'
import type { KeySettings } from '../config/key-settings.ts'
import { KeyFailure, type KeyProvider } from './key-provider.ts'
import type { KeyScheme } from './key-reference.ts'
import { type CallService, createCallService, type KeyServiceWorld } from './services/key-service.ts'

type Open = (settings: KeySettings, call: CallService) => Promise<KeyProvider>

const OPENERS: Readonly<Record<KeyScheme, Open>> = {
  pkcs11: openPkcs11,
  awskms: async ({ aws }, call) => (await import('./services/aws-kms.ts')).createAwsKms(aws, call),
  vault: openVault,
  azurekms: async ({ azure }, call) => (await import('./services/azure-key-vault.ts')).createAzureKeyVault(azure, call),
  gcpkms: async ({ google }, call) => (await import('./services/google-kms.ts')).createGoogleKms(google, call),
}

/** Throws a KeyFailure if the provider is not configured. No other provider is used instead. */
export function createProvide(
  settings: KeySettings,
  world: KeyServiceWorld = {},
): (scheme: KeyScheme) => Promise<KeyProvider> {
  const call = createCallService(world)
  return (scheme) => OPENERS[scheme](settings, call)
}

async function openVault({ vault }: KeySettings, call: CallService): Promise<KeyProvider> {
  if (vault === null) throw new KeyFailure('refused', 'VIDIMUS_VAULT_URL is not set')
  return (await import('./services/vault.ts')).createVault(vault, call)
}

async function openPkcs11({ pkcs11 }: KeySettings): Promise<KeyProvider> {
  if (pkcs11 === null) throw new KeyFailure('refused', 'VIDIMUS_PKCS11_MODULE and VIDIMUS_PKCS11_PIN_FILE are not set')
  const { createPkcs11 } = await import('./pkcs11.ts')
  const pin = await readFile(pkcs11.pinFile, 'utf8').catch(() => {
    throw new KeyFailure('refused', 'the file that VIDIMUS_PKCS11_PIN_FILE names cannot be read')
  })
  return createPkcs11({ module: pkcs11.module, pin: pin.trim() })
}
