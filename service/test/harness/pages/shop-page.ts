// A merchant's site on another origin: a page with the element as one script tag, and one that frames another page.

import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { buildElementScript } from '../../../../tools/build-element.ts'
import { once } from '../wait.ts'

export interface ShopPage {
  /** As browsers write it. */
  readonly origin: string
  /** Returns the address of a page with the element for a verification. */
  urlOf(verification: { readonly id: string; readonly wallet_uri: string }): string
  /** Frames another page, with the frame's permissions. */
  frameOf(url: string, allow: string): string
  /** Returns a page with only this body. */
  urlOfBody(body: string): string
}

const FONT = new URL(
  'files/inter-latin-wght-normal.woff2',
  import.meta.resolve('@fontsource-variable/inter/package.json'),
)
const SHOP_STYLE = `@font-face { font-family: Inter; font-weight: 100 900; src: url(/shop.woff2) }
body { margin: 24px auto; padding: 0 16px; max-width: 736px; font: 16px/1.5 Inter, sans-serif }`

export async function startShopPage(base: string): Promise<ShopPage> {
  const [script, font] = await Promise.all([buildElementScript(), readFile(FONT)])
  const listen = `window.seen = []
    for (const name of ['vidimus-status', 'vidimus-redirect']) addEventListener(name, ({ detail }) => window.seen.push(detail))`
  const policy = `default-src 'none'; script-src 'self'; img-src ${base}; connect-src ${base}; style-src 'self'; font-src 'self'; frame-src http:`
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const field = (name: string) => (searchParams.get(name) ?? '').replaceAll('&', '&amp;').replaceAll('"', '&quot;')
    if (pathname === '/plain')
      return response.setHeader('content-type', 'text/html; charset=utf-8').end(searchParams.get('body'))
    if (pathname === '/shop.css') return response.setHeader('content-type', 'text/css').end(SHOP_STYLE)
    if (pathname === '/shop.woff2') return response.setHeader('content-type', 'font/woff2').end(font)
    if (pathname.endsWith('.js'))
      return response.setHeader('content-type', 'text/javascript').end(pathname === '/element.js' ? script : listen)
    const body =
      pathname === '/frame'
        ? `<iframe src="${field('url')}" allow="${field('allow')}" width="600" height="800"></iframe>`
        : `<script src="/listen.js"></script><script src="/element.js" data-base-url="${base}" data-verification="${field('id')}" data-wallet-uri="${field('wallet_uri')}"></script>`
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy })
    response.end(
      `<!doctype html><html lang="${field('lang') || 'en'}"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><link rel="stylesheet" href="/shop.css"><title>Shop</title><body>${pathname === '/back' ? 'Back' : body}`,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    origin,
    urlOf: ({ id, wallet_uri }) => `${origin}/?${new URLSearchParams({ id, wallet_uri })}`,
    urlOfBody: (body) => `${origin}/plain?${new URLSearchParams({ body })}`,
    frameOf: (url, allow) => `${origin}/frame?${new URLSearchParams({ url, allow })}`,
  }
}
