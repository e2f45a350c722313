// GET /dashboard: the merchant's web UI. One file serves the addresses of all its pages.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { builtFilesOf, PAGE, sendBuiltFile } from '../../../platform/http/built-files.ts'
import { addHeaders } from './access.ts'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function addDashboardFiles(app: App, deps: Deps): void {
  const files = builtFilesOf('dashboard')
  const open = withoutKey(deps)
  const route = {
    ...open,
    config: { access: { kind: 'dashboard', permission: null } } as const,
    schema: { hide: true },
  }
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const { '*': path = '' } = request.params as { '*'?: string }
    if (path === 'api' || path.startsWith('api/')) throw new Refusal('not_found')
    const built = await files()
    // Every other address is a page that the script routes. A missing asset is not a page.
    const file = built.get(path) ?? (path.startsWith('assets/') ? undefined : built.get(PAGE))
    if (file === undefined) throw new Refusal(built.size === 0 ? 'unavailable' : 'not_found')
    addHeaders(reply)
    reply.header('Content-Security-Policy', POLICY)
    return sendBuiltFile(request, reply, file)
  }
  app.get('/dashboard', route, serve)
  app.get('/dashboard/*', route, serve)
}
