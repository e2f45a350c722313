// Builds the SDK as a package of its own: plain JavaScript with types, ready for `npm pack`. `npm run build:sdk`.

import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '..')
const SDK = join(ROOT, 'sdk')

export async function buildSdk(target: string): Promise<void> {
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
  await promisify(execFile)(tsc, ['-p', join(SDK, 'tsconfig.build.json'), '--outDir', target], { cwd: ROOT })
  const { name, version, license } = JSON.parse(await readFile(join(SDK, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const entry = (file: string) => ({ types: `./${file}.d.ts`, default: `./${file}.js` })
  const manifest = {
    name,
    version,
    license,
    description: "The merchant's client for Vidimus, a hosted OpenID4VP verifier.",
    type: 'module',
    sideEffects: ['./element.js'],
    engines: { node: '>=20.3' },
    exports: { '.': entry('index'), './element': entry('element') },
  }
  await writeFile(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await copyFile(join(SDK, 'README.md'), join(target, 'README.md'))
}

if (import.meta.main) {
  const target = join(SDK, 'dist')
  await buildSdk(target)
  console.log('built sdk/dist; "npm pack ./sdk/dist" makes the package')
}
