// The build: external files only, so that the page's policy needs no exception. The worker's address never changes,
// because browsers ask there for a newer one. It contains the names of the files that it stores.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

const WORKER = 'worker.js'
const PUBLIC = join(import.meta.dirname, 'public')

export default defineConfig({
  base: '/till/',
  plugins: [nameFilesToKeep()],
  build: {
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    rolldownOptions: {
      input: { till: 'index.html', worker: 'src/worker.ts' },
      output: { entryFileNames: ({ name }) => (name === 'worker' ? WORKER : 'assets/[name]-[hash].js') },
    },
  },
})

/** A new build has other names, so the worker differs, and browsers fetch it and its files. */
function nameFilesToKeep(): Plugin {
  return {
    name: 'name-files-to-keep',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const worker = bundle[WORKER]
        const page = bundle['index.html']
        if (worker?.type !== 'chunk' || page?.type !== 'asset') throw new Error('the till lacks its worker or its page')
        // Names of built files change with their content; the page and the files in public keep theirs.
        const hash = createHash('sha256').update(page.source).update(worker.code)
        const lying = readdirSync(PUBLIC).sort()
        for (const name of lying) hash.update(name).update(readFileSync(join(PUBLIC, name)))
        const version = hash.digest('hex').slice(0, 16)
        const assets = Object.keys(bundle).filter((name) => name.startsWith('assets/'))
        const files = [`/till?${version}`, ...[...assets, ...lying].map((name) => `/till/${name}`)]
        worker.code = [
          ['__FILES_TO_KEEP__', JSON.stringify(files)],
          ['__VERSION__', JSON.stringify(version)],
        ].reduce((code, [name = '', value = '']) => {
          if (!code.includes(name)) throw new Error(`the worker of the till does not ask for ${name}`)
          return code.replaceAll(name, () => value)
        }, worker.code)
      },
    },
  }
}
