// The build: external files only, so that the page's policy needs no exception.

import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { buildElementScript, buildReceiptScript } from '../tools/build-element.ts'

/** The scripts that the service serves at /sdk, for merchants' pages, and with /verify-receipt. */
const element: Plugin = {
  name: 'element',
  apply: 'build',
  async generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'sdk/vidimus-verify.js', source: await buildElementScript() })
    this.emitFile({ type: 'asset', fileName: 'sdk/verify-receipt.js', source: await buildReceiptScript() })
  },
}

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), tailwindcss(), element],
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, sourcemap: false },
})
