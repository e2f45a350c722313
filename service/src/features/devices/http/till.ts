// Serves /till, the web app for a tablet at the counter. It uses the API like any other device.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { builtFilesOf, PAGE, sendBuiltFile } from '../../../platform/http/built-files.ts'

/** Scripts, styles and requests only from this origin. A portrait is a blob URL of the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types till',
].join('; ')

export function addTillRoutes(app: App, deps: Deps): void {
  const files = builtFilesOf('till')
  const route = { ...withoutKey(deps), schema: { hide: true } }
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const { '*': path = '' } = request.params as { '*'?: string }
    const built = await files()
    const file = built.get(path === '' ? PAGE : path)
    if (file === undefined) throw new Refusal(built.size === 0 ? 'unavailable' : 'not_found')
    reply
      .header('Content-Security-Policy', POLICY)
      .header('Permissions-Policy', 'camera=(self), microphone=(), geolocation=()')
      .header('Service-Worker-Allowed', '/till')
    return sendBuiltFile(request, reply, file)
  }
  app.get('/till', route, serve)
  app.get('/till/*', route, serve)
}
