// Serves a built web application from memory, compressed once. Clients cache only files with a hash in their name.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const PAGE = 'index.html'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
  '.json': 'application/json; charset=utf-8',
}

export interface BuiltFile {
  readonly type: string
  readonly plain: Buffer
  readonly gzip: Buffer
  readonly hashed: boolean
  readonly etag: string
}

/** By path, without the application's address. */
type BuiltFiles = ReadonlyMap<string, BuiltFile>

/** The files of a workspace's build. Loaded at the first request, because most replicas never serve a page. */
export function builtFilesOf(workspace: 'dashboard' | 'till'): () => Promise<BuiltFiles> {
  let loading: Promise<BuiltFiles> | undefined
  return () => {
    loading ??= loadFiles(join(ROOT, workspace, 'dist')).catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }
}

export function sendBuiltFile(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): FastifyReply {
  reply
    .header('Vary', 'Accept-Encoding')
    .header('ETag', file.etag)
    .header('Cache-Control', file.hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (isKnown(request.headers['if-none-match'], file.etag)) return reply.code(304).send()
  const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  if (zipped) reply.header('Content-Encoding', 'gzip')
  return reply.type(file.type).send(zipped ? file.gzip : file.plain)
}

function isKnown(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((known) => known.trim() === etag) === true
}

/** Empty if the application was not built: `npm run setup` builds it. */
async function loadFiles(folder: string): Promise<BuiltFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = new Map<string, BuiltFile>()
  for (const entry of entries) {
    if (!entry.isFile() || TYPES[extname(entry.name)] === undefined) continue
    const full = join(entry.parentPath, entry.name)
    const path = full.slice(folder.length + 1).replaceAll('\\', '/')
    files.set(path, builtFile(path, await readFile(full)))
  }
  return files
}

export function builtFile(path: string, plain: Buffer): BuiltFile {
  const type = TYPES[extname(path)] ?? 'application/octet-stream'
  // A weak validator, because both encodings share it.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url')}"`
  return { type, plain, gzip: gzipSync(plain, { level: 9 }), hashed: path.startsWith('assets/'), etag }
}
