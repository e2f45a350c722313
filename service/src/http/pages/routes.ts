// Pages for people: the hosted verification page and, where the sandbox is on, the web test wallet.

import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { isVerificationId } from '../../domain/ids.ts'
import { readHostedPage } from '../../usecases/verifications/read-hosted-page.ts'
import type { App } from '../app.ts'
import { spendBudget } from '../budget.ts'
import { withoutKey } from '../principal.ts'
import { type Asset, type Assets, loadAssets, sendPage } from './layout.ts'
import { addQrImage } from './qr-image.ts'
import { addSandboxPages } from './sandbox-wallet.ts'
import { unknownPage, verificationPage } from './verification-page.ts'
import { chooseLanguage } from './words.ts'

const LanguageQuery = Type.Object({ lang: Type.Optional(Type.String()) })

export function addPageRoutes(app: App, deps: Deps): void {
  app.register(async (routes: App) => {
    const assets = await loadAssets()
    for (const asset of Object.values(assets)) addAsset(routes, deps, asset)
    addVerificationPage(routes, deps, assets)
    addQrImage(routes, deps)
    if (deps.sandbox !== null) addSandboxPages(routes, { ...deps, sandbox: deps.sandbox }, assets)
  })
}

function addAsset(routes: App, deps: Deps, asset: Asset): void {
  routes.get(asset.path, { ...withoutKey(deps), schema: { hide: true } }, async (_request, reply) =>
    reply.header('Cache-Control', 'public, max-age=31536000, immutable').type(asset.type).send(asset.bytes),
  )
}

function addVerificationPage(routes: App, deps: Deps, assets: Assets): void {
  routes.get(
    '/verify/:id',
    {
      ...withoutKey(deps),
      schema: { hide: true, params: Type.Object({ id: Type.String() }), querystring: LanguageQuery },
    },
    async (request, reply) => {
      const { id } = request.params
      const language = chooseLanguage(request.query.lang, request.headers['accept-language'])
      if (!isVerificationId(id)) return sendPage(reply, assets, unknownPage(language))
      await spendBudget(deps, reply, { name: 'verification', key: id, budget: deps.config.rates.verification })
      try {
        const verification = await readHostedPage(deps, id)
        return sendPage(reply, assets, verificationPage(verification, { language, sandbox: deps.sandbox !== null }))
      } catch (error) {
        if (error instanceof Refusal && error.code === 'session_not_found') {
          return sendPage(reply, assets, unknownPage(language))
        }
        throw error
      }
    },
  )
}
