// Writes address and integrity of the element's script into docs/browser-wallets.md.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildElementScript, elementTag } from './build-element.ts'

export const GUIDE = join(import.meta.dirname, '..', 'docs', 'browser-wallets.md')

export async function renderGuide(): Promise<string> {
  const { path, integrity } = elementTag(await buildElementScript())
  return (await readFile(GUIDE, 'utf8'))
    .replaceAll(/\/sdk\/vidimus-verify-[0-9a-f]+\.js/g, path)
    .replaceAll(/integrity="sha384-[^"]*"/g, `integrity="${integrity}"`)
}

if (import.meta.main) await writeFile(GUIDE, await renderGuide())
