// Reads a private key from a file, in the browser: it is not sent anywhere.

import type { ResultPrivateKey } from '../../sdk/typescript/src/result.ts'

/** Returns null unless the file contains a private key on P-256. */
export async function readKeyFile(file: File): Promise<ResultPrivateKey | null> {
  try {
    const { kty, crv, x, y, d } = JSON.parse(await file.text()) as Partial<ResultPrivateKey>
    const isWhole = [x, y, d].every((member) => typeof member === 'string')
    return isWhole && kty === 'EC' && crv === 'P-256' ? ({ kty, crv, x, y, d } as ResultPrivateKey) : null
  } catch {
    return null
  }
}

export function saveKeyFile(key: ResultPrivateKey): void {
  const content = new Blob([JSON.stringify(key, null, 2)], { type: 'application/jwk+json' })
  saveFile('vidimus-result-key.private.jwk', content)
}

/** Saves content as a download. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
