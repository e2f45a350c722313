// The build: external files only, so that the page's policy needs no exception. The worker stands at one address for ever,
// for browsers ask there whether it is new; it holds the names of the files that it keeps.

import { createHash } from 'node:crypto'
import { defineConfig, type Plugin } from 'vite'

const WORKER = 'worker.js'

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

/** A new build has other names, so the worker is another one, and browsers take it and its files. */
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
        // The page's name is always the same; what it says stands behind it.
        const version = createHash('sha256').update(page.source).digest('hex').slice(0, 16)
        const assets = Object.keys(bundle).filter((name) => name.startsWith('assets/'))
        const others = [...assets, 'icon.svg', 'manifest.webmanifest'].map((name) => `/till/${name}`)
        const files = JSON.stringify([`/till?${version}`, ...others])
        const code = worker.code.replace('__FILES_TO_KEEP__', () => files)
        if (code === worker.code) throw new Error('the worker of the till does not ask for its files')
        worker.code = code
      },
    },
  }
}
