// Builds <vidimus-verify> and the receipt page as one classic script each; prints their names and integrity.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { build } from 'vite'

/** The element and its dependencies in one classic script, which leaves no global name. */
export const buildElementScript = () => buildScript('sdk/typescript/src/element-script.ts')

/** Builds the script of the page that verifies receipts, also as one classic script. */
export const buildReceiptScript = () => buildScript('dashboard/src/receipt-page/script.ts')

async function buildScript(entry: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2023',
      lib: {
        entry: join(import.meta.dirname, '..', entry),
        formats: ['iife'],
        name: 'vidimus',
      },
    },
  })
  const [script] = [built].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []))
  if (script?.type !== 'chunk') throw new Error(`${entry} was not built into one script`)
  return asciiOf(script.code)
}

/** The script is ASCII, because browsers read it in the encoding of the page. */
const asciiOf = (code: string) =>
  code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The tag in the guide: the versioned address, and the hash that a browser compares the script with. */
export function elementTag(script: string): { readonly path: string; readonly integrity: string } {
  const digest = (algorithm: string) => createHash(algorithm).update(script).digest()
  const version = digest('sha256').toString('hex').slice(0, 16)
  return { path: `/sdk/vidimus-verify-${version}.js`, integrity: `sha384-${digest('sha384').toString('base64')}` }
}
