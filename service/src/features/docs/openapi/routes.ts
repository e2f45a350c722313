// Serves the API description for merchants, as a document and as a page.

import type { Deps } from '../../../deps.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import type { RouteTable } from '../../../platform/http/route-table.ts'
import { addDocs } from '../http/routes.ts'
import { openApiDocument } from './document.ts'

export function addOpenApi(app: App, deps: Deps, table: RouteTable): void {
  const document = once(() => openApiDocument(table.routes, deps.config.baseUrl))
  // Bytes, because encoding the text again for each request takes more than a millisecond.
  const text = once(() => Buffer.from(JSON.stringify(document(), null, 2)))
  const hidden = { ...withoutKey(deps), schema: { hide: true } }
  app.get('/openapi.json', hidden, async (_request, reply) => {
    reply.header('Access-Control-Allow-Origin', '*')
    return reply.type('application/json; charset=utf-8').send(text())
  })
  addDocs(app, deps, document)
}

function once<T extends object | string>(make: () => T): () => T {
  let cached: T | undefined
  return () => {
    cached ??= make()
    return cached
  }
}
