// The frame of every page: HTML with our own stylesheets and scripts only, nothing inline.

import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DIRECTIONS, type Language } from '../../../../../labels/catalogue.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { Assets } from './assets.ts'

export interface Page {
  readonly language: Language
  readonly title: string
  /** HTML. The caller must escape all text from outside. */
  readonly body: string
  readonly status?: number
  /** Omits `form-action`: browsers also apply it to redirects, and this form redirects to another site. */
  readonly formsLeadOn?: boolean
  /** The page's only script, instead of the usual modules. */
  readonly script?: string
  /** Further stylesheets of a brand. */
  readonly styles?: readonly string[]
  /** Only for a preview. Default: the theme that the reader has chosen on the device. */
  readonly theme?: 'light' | 'dark'
}

const POLICIES = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]
const POLICY = POLICIES.join('; ')
const POLICY_LEADING_ON = POLICIES.filter((part) => !part.startsWith('form-action')).join('; ')

const zip = promisify(gzip)

/** `scripts: false` renders a preview. */
export function renderPage(assets: Assets, page: Page, { scripts }: { readonly scripts: boolean }): string {
  const styles = [assets.style, ...(page.styles ?? [])]
  return `<!doctype html>
<html lang="${page.language}" dir="${DIRECTIONS[page.language]}"${page.theme === undefined ? '' : ` data-theme="${page.theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(page.title)}</title>
${styles.map((path) => `<link rel="stylesheet" href="${path}">`).join('\n')}
${scripts ? scriptsOf(assets, page) : ''}
</head>
<body${scripts ? '' : ' inert'}>
${page.body}
</body>
</html>
`
}

function scriptsOf({ script, modules }: Assets, page: Page): string {
  if (page.script !== undefined) return `<script src="${page.script}" defer></script>`
  const ahead = modules.map((path) => `<link rel="modulepreload" href="${path}">`).join('\n')
  return `${ahead}\n<script src="${script}" type="module"></script>`
}

export async function sendPage(reply: FastifyReply, assets: Assets, page: Page): Promise<FastifyReply> {
  const html = pageText(reply.code(page.status ?? 200), assets, page)
  // Compression is safe here: the page does not repeat its address, so an attacker cannot put chosen text next to a secret.
  if (!acceptsGzip(reply.request)) return reply.send(html)
  return reply.header('Content-Encoding', 'gzip').send(await zip(html, { level: 5 }))
}

/** Returns the page's text and sets the headers of the reply. */
export function pageText(reply: FastifyReply, assets: Assets, page: Page): string {
  reply
    .header('Content-Security-Policy', page.formsLeadOn === true ? POLICY_LEADING_ON : POLICY)
    .header('Permissions-Policy', 'digital-credentials-get=(self), camera=(), microphone=(), geolocation=()')
    .header('Vary', 'Accept-Language, Accept-Encoding, User-Agent')
    .type('text/html; charset=utf-8')
  return renderPage(assets, page, { scripts: true })
}

export const acceptsGzip = ({ headers }: FastifyRequest) => /\bgzip\b/.test(headers['accept-encoding'] ?? '')
