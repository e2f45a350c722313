// Serves /till/display: connects a customer screen to its till, and answers the screen's polls.

import { ConnectDisplay } from '../../../../../wire/devices.ts'
import { principalOf } from '../../../core/http/principal.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { shopLookOf } from '../../pages/index.ts'
import { DISPLAY_TOKEN, type DisplayState } from '../domain/display.ts'
import { parsePairingCode } from '../domain/pairing-code.ts'
import { connectDisplayTo, disconnectDisplayOf, readDisplayOf, readShop } from '../usecases/manage-display.ts'
import { readScene, type Scene } from '../usecases/read-scene.ts'
import { TILL_BODY_BYTES_MAX, withTill, withTillChange } from './till-change.ts'

const PATH = '/till/display'
const BEARER = new RegExp(`^Bearer (${DISPLAY_TOKEN.slice(1, -1)})$`)

/** Not published: only our own till and its screen use these routes. */
export function addDisplayRoutes(app: App, deps: Deps): void {
  const change = withTillChange(deps)
  const schema = { hide: true }
  app.put(
    PATH,
    { ...change, schema: { ...schema, body: ConnectDisplay }, bodyLimit: TILL_BODY_BYTES_MAX },
    async (request) => {
      const code = parsePairingCode(request.body.code)
      if (code === null) throw new Refusal('invalid_pairing_code')
      return renderState(await connectDisplayTo(deps, principalOf(request), code))
    },
  )
  app.get(PATH, { ...withTill(deps), schema }, async (request) =>
    renderState(await readDisplayOf(deps, principalOf(request))),
  )
  app.delete(PATH, { ...change, schema }, async (request) =>
    renderState(await disconnectDisplayOf(deps, principalOf(request))),
  )
  app.get('/till/shop', { ...withTill(deps), schema }, async (request) => {
    const { name, look, realm } = await readShop(deps, principalOf(request))
    return { name, look: shopLookOf(realm, look) }
  })
  app.get(`${PATH}/scene`, { ...withoutKey(deps), schema }, async (request) => {
    const [, token] = BEARER.exec(request.headers.authorization ?? '') ?? []
    if (token === undefined) throw new Refusal('invalid_request', { message: 'A customer screen must send its token.' })
    return renderScene(await readScene(deps, token))
  })
}

const renderState = (state: DisplayState) => ({ state })

function renderScene(scene: Scene) {
  if (scene.kind === 'unconnected') return scene
  const { shop, realm, ...rest } = scene
  const merchant = { shop: shop.name, look: shopLookOf(realm, shop.look) }
  if (rest.kind !== 'code') return { ...rest, ...merchant }
  const { walletUri, ...code } = rest
  return { ...code, ...merchant, wallet_uri: walletUri }
}
