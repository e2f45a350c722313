// Serves the pages' stylesheet and scripts, compressed once, at addresses with their content hash.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DEFAULT_LOOK } from '../domain/branding/look.ts'
import { fontFaces } from './fonts.ts'

const STYLE = 'page.css'
const WALLET_STYLE = 'wallet.css'
const SCRIPT = 'page.js'
const MODULES = ['browser-wallets.js', 'progress.js'] as const
const RETURN_SCRIPT = 'return.js'

const TYPES: Readonly<Record<string, string>> = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

export interface Asset {
  readonly path: string
  readonly type: string
  readonly plain: Buffer
  readonly gzip: Buffer
}

export interface Assets {
  readonly style: string
  /** An additional stylesheet for the test wallet. */
  readonly walletStyle: string
  /** The entry script and the modules that it imports. */
  readonly script: string
  readonly modules: readonly string[]
  /** For the page that a wallet returns to. It is not a module. */
  readonly returnScript: string
  readonly files: readonly Asset[]
}

let loaded: Promise<Assets> | null = null

/** Loaded once per process, because several features use them. */
export function loadAssets(): Promise<Assets> {
  loaded ??= readAssets()
  return loaded
}

/** Puts the default font, whose files have their own addresses, at the start of the stylesheet. */
async function readAsset(name: string): Promise<Buffer> {
  const bytes = await readFile(join(import.meta.dirname, 'assets', name))
  return name === STYLE ? Buffer.concat([Buffer.from(await fontFaces(DEFAULT_LOOK.font)), bytes]) : bytes
}

async function readAssets(): Promise<Assets> {
  const names = [STYLE, WALLET_STYLE, SCRIPT, ...MODULES, RETURN_SCRIPT]
  const read = await Promise.all(names.map(readAsset))
  const hash = createHash('sha256')
  for (const bytes of read) hash.update(bytes)
  const version = hash.digest('hex').slice(0, 16)
  const pathOf = (name: string) => `/assets/${version}/${name}`
  const files = names.map((name, at): Asset => {
    const plain = read[at] ?? Buffer.alloc(0)
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
    return { path: pathOf(name), type, plain, gzip: gzipSync(plain, { level: 9 }) }
  })
  return {
    style: pathOf(STYLE),
    walletStyle: pathOf(WALLET_STYLE),
    script: pathOf(SCRIPT),
    modules: MODULES.map(pathOf),
    returnScript: pathOf(RETURN_SCRIPT),
    files,
  }
}
