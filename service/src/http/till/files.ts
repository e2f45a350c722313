// The till's files as a browser takes them: our TypeScript without its types, laid out as in the repository, so that the
// same imports hold there and here. No build, no bundle.

import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

export interface TillFile {
  /** Below /till. */
  readonly path: string
  readonly type: string
  readonly text: string
}

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const TILL = 'service/till'
const JAVASCRIPT = 'text/javascript; charset=utf-8'

const STATIC = [
  { file: 'index.html', path: '', type: 'text/html; charset=utf-8' },
  { file: 'till.css', path: '/till.css', type: 'text/css; charset=utf-8' },
  { file: 'manifest.webmanifest', path: '/manifest.webmanifest', type: 'application/manifest+json' },
  { file: 'icon.svg', path: '/icon.svg', type: 'image/svg+xml' },
] as const

/** What app.ts imports, all the way down. A test follows the imports and compares. */
export const MODULES: readonly string[] = [
  ...[
    'app',
    'browser-storage',
    'cancelling',
    'connection',
    'dom',
    'offline-shell',
    'outcome',
    'portrait',
    'problems',
    'qr-drawing',
    'scanner',
    'views',
    'watch',
    'words',
  ].map((name) => `${TILL}/${name}.ts`),
  ...['device-client', 'device-errors', 'device-http', 'device-tokens'].map((name) => `sdk/src/${name}.ts`),
]

/** The encoder, and the decoder that a camera needs. */
const QR_FILES = ['index.js', 'decode.js'] as const
const qrPath = (file: string) => `/files/node_modules/qr/${file}`

const SCRIPTS = [
  ...MODULES.map((file) => ({ file, path: `/files/${file}` })),
  { file: `${TILL}/worker.ts`, path: '/worker.ts' },
]

export const TILL_PATHS: readonly string[] = [
  ...STATIC.map(({ path }) => path),
  ...SCRIPTS.map(({ path }) => path),
  ...QR_FILES.map(qrPath),
]

export async function loadTillFiles(): Promise<ReadonlyMap<string, TillFile>> {
  const pages = await Promise.all(
    STATIC.map(async ({ file, path, type }) => ({ path, type, text: await read(`${TILL}/${file}`) })),
  )
  const stripped = await stripTypes(await Promise.all(SCRIPTS.map(({ file }) => read(file))))
  const scripts = SCRIPTS.map(({ path }, at) => ({ path, type: JAVASCRIPT, text: stripped[at] ?? '' }))
  const library = dirname(fileURLToPath(import.meta.resolve('qr')))
  const qr = await Promise.all(
    QR_FILES.map(async (file) => ({
      path: qrPath(file),
      type: JAVASCRIPT,
      text: await readFile(join(library, file), 'utf8'),
    })),
  )
  return new Map([...pages, ...scripts, ...qr].map((file) => [file.path, file]))
}

const read = (file: string) => readFile(join(ROOT, file), 'utf8')

function stripTypes(sources: readonly string[]): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./strip-worker.ts', import.meta.url), {
      workerData: sources,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the till could not be prepared')))
  })
}
