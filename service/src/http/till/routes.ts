// GET /till: the web app for a tablet at the counter. It speaks to the API like any other device.

import type { Deps } from '../../deps.ts'
import type { App } from '../app.ts'
import { withoutKey } from '../principal.ts'
import { loadTillFiles, TILL_PATHS, type TillFile } from './files.ts'

/** Scripts, styles and requests from here alone; a portrait is a blob of the page's own. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob:",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types till',
].join('; ')

export function addTillRoutes(app: App, deps: Deps): void {
  // Prepared when somebody first asks: most replicas never serve a till.
  let loading: Promise<ReadonlyMap<string, TillFile>> | undefined
  const files = () => {
    loading ??= loadTillFiles().catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }
  for (const path of TILL_PATHS) {
    app.get(`/till${path}`, { ...withoutKey(deps), schema: { hide: true } }, async (_request, reply) => {
      const file = (await files()).get(path)
      if (file === undefined) throw new Error('bug: the till lacks a file')
      return reply
        .header('Content-Security-Policy', POLICY)
        .header('Permissions-Policy', 'camera=(self), microphone=(), geolocation=()')
        .header('Service-Worker-Allowed', '/till')
        .header('Cache-Control', 'no-cache')
        .type(file.type)
        .send(file.text)
    })
  }
}
