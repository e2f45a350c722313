// Builds the SDK package: JavaScript with types, and the element as one script (`npm run build:sdk`).

import { execFile } from 'node:child_process'
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { buildElementScript } from './build-element.ts'
import { renderTypes, type Schema } from './sdk-types/render-types.ts'

const ROOT = join(import.meta.dirname, '..')
const SDK = join(ROOT, 'sdk', 'typescript')
const ELEMENT_SCRIPT = 'vidimus-verify.script.js'

export async function buildSdk(target: string): Promise<void> {
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  await compile(target)
  await writeFile(join(target, 'wire.d.ts'), renderTypes(await wireSchemas()))
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
    sideEffects: ['./element.js', `./${ELEMENT_SCRIPT}`],
    engines: { node: '>=20.3' },
    exports: { '.': entry('index'), './element': entry('element'), './element.script': `./${ELEMENT_SCRIPT}` },
  }
  await writeFile(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await writeFile(join(target, ELEMENT_SCRIPT), await buildElementScript())
  await copyFile(join(SDK, 'README.md'), join(target, 'README.md'))
}

/** Compiles the SDK. Leaves out the types of wire/ that the compiler also writes, because the package has its own copy of them. */
async function compile(target: string): Promise<void> {
  const emitted = await mkdtemp(join(tmpdir(), 'vidimus-sdk-build-'))
  try {
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
    await promisify(execFile)(tsc, ['-p', join(SDK, 'tsconfig.build.json'), '--outDir', emitted], { cwd: ROOT })
    await cp(join(emitted, 'sdk', 'typescript', 'src'), target, { recursive: true })
  } finally {
    await rm(emitted, { recursive: true, force: true })
  }
}

/** The schemas whose types src/wire.ts exports, by name. */
export async function wireSchemas(): Promise<Record<string, Schema>> {
  const source = join(SDK, 'src', 'wire.ts')
  const schemas: Record<string, Schema> = {}
  for (const [, names = '', file = ''] of (await readFile(source, 'utf8')).matchAll(EXPORTED_TYPES)) {
    const module = (await import(new URL(file, pathToFileURL(source)).href)) as Record<string, Schema>
    for (const name of names.match(/\w+/g) ?? []) {
      const schema = module[name]
      if (schema === undefined) throw new Error(`${file} has no schema ${name}`)
      schemas[name] = schema
    }
  }
  return schemas
}

const EXPORTED_TYPES = /^export type \{([^}]*)\} from '([^']+)'$/gm

if (import.meta.main) {
  const target = join(SDK, 'dist')
  await buildSdk(target)
  console.log('built sdk/typescript/dist; "npm pack ./sdk/typescript/dist" makes the package')
}
