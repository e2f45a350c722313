// GET /sdk/vidimus-verify.js: the element for merchants' own pages, as one script.

import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { type BuiltFile, builtFilesOf, sendBuiltFile } from '../../../platform/http/built-files.ts'

const NAME = /^vidimus-verify(?:-([0-9a-f]{16}))?\.js$/

/**
 * Only the address with our own version may be cached for ever. During an upgrade a page may ask for the other
 * release's version; it gets our script, which `integrity` rejects, without caching.
 */
export function addElementRoute(routes: App, deps: Deps): void {
  const files = builtFilesOf('dashboard')
  const schema = { hide: true, params: Type.Object({ file: Type.String() }) }
  routes.get('/sdk/:file', { ...withoutKey(deps), schema }, async (request, reply) => {
    const found = NAME.exec(request.params.file)
    if (found === null) throw new Refusal('not_found')
    const script = (await files()).get('sdk/vidimus-verify.js')
    if (script === undefined) throw new Refusal('unavailable')
    return sendElement(request, reply, { ...script, hashed: found[1] === versionOf(script) })
  })
}

/** Any page may load the script, including a page that is isolated from other origins. */
function sendElement(request: FastifyRequest, reply: FastifyReply, script: BuiltFile): FastifyReply {
  reply.header('Access-Control-Allow-Origin', '*').header('Cross-Origin-Resource-Policy', 'cross-origin')
  return sendBuiltFile(request, reply, script)
}

const versionOf = ({ plain }: BuiltFile) => createHash('sha256').update(plain).digest('hex').slice(0, 16)
