// /log/…: public keys, checkpoint and tiles, for anyone who verifies the log. Nothing here is personal data.

import { Type } from 'typebox'
import { ReceiptKeys } from '../../../../../wire/receipts.ts'
import { refusals } from '../../../core/http/envelope-schema.ts'
import { openToEveryOrigin } from '../../../core/verifications/http/wallet/cross-origin.ts'
import type { Deps } from '../../../deps.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { readReceiptKeys } from '../usecases/manage-receipt-keys.ts'
import { readEpoch } from '../usecases/open-epoch.ts'
import { readCheckpoint, readLogKey, readTile } from '../usecases/read-log.ts'

const MINUTE_CACHE = 'public, max-age=60'
const CHECKPOINT_CACHE = 'public, max-age=5'
/** A tile never changes within an epoch. A restore may change it, so caches must not keep tiles for long. */
const TILE_CACHE = 'public, max-age=3600'
const TEXT_TYPE = 'text/plain; charset=utf-8'
const PlainText = Type.String({ produces: ['text/plain'] })

export function addLogRoutes(app: App, deps: Deps): void {
  app.get(
    '/log/receipt-keys',
    {
      ...withoutKey(deps),
      schema: {
        operationId: 'getReceiptKeys',
        tags: ['Log'],
        summary: 'Get all public keys of receipts, past and present',
        response: { 200: ReceiptKeys },
      },
    },
    async (_request, reply) => {
      openToEveryOrigin(reply)
      reply.header('Cache-Control', MINUTE_CACHE)
      return readReceiptKeys(deps)
    },
  )
  addTextRoute(app, deps, {
    url: '/log/checkpoint',
    operationId: 'getLogCheckpoint',
    summary: "Get the log's newest checkpoint (C2SP tlog-checkpoint), with its witnesses' cosignatures",
    read: readCheckpoint,
  })
  addTextRoute(app, deps, {
    url: '/log/key',
    operationId: 'getLogKey',
    summary: "Get the log's public key, in the format of signed notes",
    read: readLogKey,
  })
  addTileRoute(app, deps)
  addEpochRoute(app, deps)
}

interface TextRoute {
  readonly url: string
  readonly operationId: string
  readonly summary: string
  readonly read: (deps: Deps) => Promise<string>
}

function addTextRoute(app: App, deps: Deps, { url, operationId, summary, read }: TextRoute): void {
  app.get(
    url,
    {
      ...withoutKey(deps),
      schema: { operationId, tags: ['Log'], summary, response: { 200: PlainText, ...refusals('not_found') } },
    },
    async (_request, reply) => {
      const text = await read(deps)
      openToEveryOrigin(reply)
      return reply.header('Cache-Control', CHECKPOINT_CACHE).type(TEXT_TYPE).send(text)
    },
  )
}

/** The statement that opened an epoch: for auditors, like the tiles. */
function addEpochRoute(app: App, deps: Deps): void {
  app.get(
    '/log/epoch/:number',
    { ...withoutKey(deps), schema: { hide: true, params: Type.Object({ number: Type.String({ maxLength: 9 }) }) } },
    async (request, reply) => {
      const text = await readEpoch(deps, request.params.number)
      openToEveryOrigin(reply)
      return reply.header('Cache-Control', CHECKPOINT_CACHE).type(TEXT_TYPE).send(text)
    },
  )
}

function addTileRoute(app: App, deps: Deps): void {
  app.get(
    '/log/tile/*',
    {
      ...withoutKey(deps),
      // OpenAPI parameters cannot contain slashes; C2SP tlog-tiles describes these paths.
      schema: { hide: true, params: Type.Object({ '*': Type.String() }) },
    },
    async (request, reply) => {
      const bytes = await readTile(deps, request.params['*'])
      openToEveryOrigin(reply)
      return reply.header('Cache-Control', TILE_CACHE).type('application/octet-stream').send(bytes)
    },
  )
}
