// Serves /docs: guides, reference, errors and changelog as pages, and their assets.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { type BuiltFile, builtFile, sendBuiltFile } from '../../../platform/http/built-files.ts'
import { fontFaces } from '../../pages/index.ts'
import type { OpenApiDocument } from '../openapi/types.ts'
import type { DocsSite } from './site.ts'

/** Allows only this origin, also for requests to the API. Trusted types keep text from becoming markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const SEARCH_INDEX = 'search.json'
const STYLE = 'docs.css'
const SCRIPTS = ['docs.js', 'copy.js', 'find.js', 'here.js', 'key.js', 'search.js', 'try-it.js'] as const

interface Site {
  readonly site: DocsSite
  /** By path below /docs/. Requests that arrive during a build share it. */
  readonly files: Map<string, Promise<BuiltFile | null>>
}

export function addDocs(app: App, deps: Deps, document: () => OpenApiDocument): void {
  const route = { ...withoutKey(deps), schema: { hide: true } }
  let opening: Promise<Site> | undefined
  const open = () => {
    opening ??= openSite(deps, document()).catch((error) => {
      opening = undefined
      throw error
    })
    return opening
  }
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const { '*': path = '' } = request.params as { '*'?: string }
    const { site, files } = await open()
    const file = await findFile({ site, files }, path)
    if (file === null && !acceptsHtml(request)) throw new Refusal('not_found')
    reply.header('Content-Security-Policy', POLICY)
    if (file === null)
      return reply.code(404).header('Vary', 'Accept').type('text/html; charset=utf-8').send(site.missingPage())
    return sendBuiltFile(request, reply, file)
  }
  app.get('/docs', route, serve)
  app.get('/docs/*', route, serve)
}

/** Browsers get a page. Other clients get an error code. */
const acceptsHtml = ({ headers }: FastifyRequest) => (headers.accept ?? '').includes('text/html')

/** Only existing pages stay cached, so that paths that strangers make up fill no memory. */
function findFile({ site, files }: Site, path: string): Promise<BuiltFile | null> {
  const known = files.get(path)
  if (known !== undefined) return known
  const building = makeFile(site, path)
  files.set(path, building)
  const forget = () => files.delete(path)
  building.then((file) => file === null && forget(), forget)
  return building
}

async function makeFile(site: DocsSite, path: string): Promise<BuiltFile | null> {
  if (path === SEARCH_INDEX) return builtFile('search.json', Buffer.from(JSON.stringify(await site.searchIndex())))
  const html = await site.page(path)
  return html === null ? null : builtFile('page.html', Buffer.from(html))
}

async function openSite({ config }: Pick<Deps, 'config'>, document: OpenApiDocument): Promise<Site> {
  const folder = join(import.meta.dirname, 'assets')
  const read = await Promise.all(
    [STYLE, ...SCRIPTS].map(async (name) => {
      const bytes = await readFile(join(folder, name))
      const fonts = name === STYLE ? await fontFaces('inter') : ''
      return [name, Buffer.concat([Buffer.from(fonts), bytes])] as const
    }),
  )
  const hash = createHash('sha256')
  for (const [, bytes] of read) hash.update(bytes)
  // Scripts import each other by name, so they share one folder, whose name is a hash of their content.
  const below = `assets/${hash.digest('hex').slice(0, 16)}`
  const paths = read.map(([name, bytes]) => [`${below}/${name}`, bytes] as const)
  const files = new Map(paths.map(([path, bytes]) => [path, Promise.resolve(builtFile(path, bytes))]))
  const assets = { style: `/docs/${below}/${STYLE}`, script: `/docs/${below}/${SCRIPTS[0]}` }
  // Loads the Markdown parser only now: most replicas never need it.
  const { openDocsSite } = await import('./site.ts')
  return { site: openDocsSite({ document, baseUrl: config.baseUrl, assets }), files }
}
