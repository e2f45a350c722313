// The frame of every page: plain HTML, one stylesheet and one script of our own, nothing inline, nothing from elsewhere.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../openapi/docs-page.ts'
import type { Language } from './words.ts'

const ASSETS = { 'page.css': 'text/css; charset=utf-8', 'page.js': 'text/javascript; charset=utf-8' } as const
export type AssetName = keyof typeof ASSETS

export interface Asset {
  /** With a hash of the content, so that it may be kept for ever. */
  readonly path: string
  readonly type: string
  readonly bytes: Buffer
}

export type Assets = Readonly<Record<AssetName, Asset>>

export async function loadAssets(): Promise<Assets> {
  const load = async (name: AssetName): Promise<Asset> => {
    const bytes = await readFile(join(import.meta.dirname, 'assets', name))
    const version = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
    return { path: `/assets/${version}-${name}`, type: ASSETS[name], bytes }
  }
  return { 'page.css': await load('page.css'), 'page.js': await load('page.js') }
}

export interface Page {
  readonly language: Language
  readonly title: string
  /** HTML: whoever makes it escapes what others wrote. */
  readonly body: string
  readonly status?: number
}

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function sendPage(reply: FastifyReply, assets: Assets, page: Page): FastifyReply {
  const html = `<!doctype html>
<html lang="${page.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(page.title)}</title>
<link rel="stylesheet" href="${assets['page.css'].path}">
<script src="${assets['page.js'].path}" defer></script>
</head>
<body>
${page.body}
</body>
</html>
`
  return reply
    .code(page.status ?? 200)
    .header('Content-Security-Policy', POLICY)
    .header('Permissions-Policy', 'digital-credentials-get=(self), camera=(), microphone=(), geolocation=()')
    .header('Vary', 'Accept-Language')
    .type('text/html; charset=utf-8')
    .send(html)
}
