// The description for merchants, at its address and as a page for people.

import type { Deps } from '../../deps.ts'
import type { App } from '../app.ts'
import { withoutKey } from '../principal.ts'
import type { RouteTable } from '../route-table.ts'
import { renderDocsPage } from './docs-page.ts'
import { openApiDocument } from './document.ts'

export function addOpenApi(app: App, deps: Deps, table: RouteTable): void {
  const document = once(() => openApiDocument(table.routes, deps.config.baseUrl))
  const text = once(() => JSON.stringify(document(), null, 2))
  const page = once(() => renderDocsPage(document()))
  const hidden = { ...withoutKey(deps), schema: { hide: true } }
  app.get('/openapi.json', hidden, async (_request, reply) => {
    reply.header('Access-Control-Allow-Origin', '*')
    return reply.type('application/json; charset=utf-8').send(text())
  })
  app.get('/docs', hidden, async (_request, reply) => {
    const { html, styleHash } = page()
    reply.header('Content-Security-Policy', `default-src 'none'; style-src '${styleHash}'; frame-ancestors 'none'`)
    return reply.type('text/html; charset=utf-8').send(html)
  })
}

function once<T extends object | string>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
