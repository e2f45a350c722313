// The built dashboard: read once, compressed once, served from memory. Hashed files may be kept for ever, the page never.

import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import type { App } from '../app.ts'
import { withoutKey } from '../principal.ts'
import { addHeaders } from './access.ts'

const DIST = join(import.meta.dirname, '..', '..', '..', '..', 'dashboard', 'dist')
const PAGE = 'index.html'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

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

interface BuiltFile {
  readonly type: string
  readonly plain: Buffer
  readonly gzip: Buffer
  readonly hashed: boolean
}

export function addDashboardFiles(app: App, deps: Deps): void {
  let loading: Promise<ReadonlyMap<string, BuiltFile>> | undefined
  const files = () => {
    loading ??= loadFiles().catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }
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
    // Addresses of pages are the page's own matter; a file that is not there is not one of them.
    const file = built.get(path) ?? (path.startsWith('assets/') ? undefined : built.get(PAGE))
    if (file === undefined) throw new Refusal(built.size === 0 ? 'unavailable' : 'not_found')
    return send(request, reply, file)
  }
  app.get('/dashboard', route, serve)
  app.get('/dashboard/*', route, serve)
}

function send(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): FastifyReply {
  addHeaders(reply)
  const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  if (zipped) reply.header('Content-Encoding', 'gzip')
  return reply
    .header('Content-Security-Policy', POLICY)
    .header('Vary', 'Accept-Encoding')
    .header('Cache-Control', file.hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    .type(file.type)
    .send(zipped ? file.gzip : file.plain)
}

/** Empty where the dashboard was not built: `npm run setup` builds it. */
async function loadFiles(): Promise<ReadonlyMap<string, BuiltFile>> {
  const entries = await readdir(DIST, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = new Map<string, BuiltFile>()
  for (const entry of entries) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const full = join(entry.parentPath, entry.name)
    const path = full.slice(DIST.length + 1).replaceAll('\\', '/')
    const plain = await readFile(full)
    files.set(path, { type, plain, gzip: gzipSync(plain, { level: 9 }), hashed: path.startsWith('assets/') })
  }
  return files
}
