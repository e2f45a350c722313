// Routes of the hosted verification page.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Language } from '../../../../../labels/catalogue.ts'
import { HeldPage } from '../../../../../wire/wallet.ts'
import { isBoundTo, ownershipOf } from '../../../core/verifications/domain/browser-binding.ts'
import { OPEN_STEPS } from '../../../core/verifications/domain/progress.ts'
import {
  browserHashOf,
  browserSecretOf,
  removeSurplusSecrets,
  setBrowserSecret,
} from '../../../core/verifications/http/browser-cookie.ts'
import { holdForBrowser } from '../../../core/verifications/usecases/asking/hold-verification.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { spendOfAddress, withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { newSecret } from '../../../platform/one-time-secret.ts'
import { millisecondsOf } from '../../../platform/world.ts'
import { readLogosOfAsker } from '../usecases/manage-branding.ts'
import { AGREED_KINDS, type HostedVerification, readHostedPage } from '../usecases/read-hosted-page.ts'
import { brandOfAsker } from './asker-brand.ts'
import { type Asset, type Assets, loadAssets } from './assets.ts'
import { addBrandStyles } from './brand-style.ts'
import { addCard } from './card.ts'
import { addElementRoute } from './element.ts'
import { addFonts } from './fonts.ts'
import { acceptsGzip, type Page, sendPage } from './layout.ts'
import { sendLogo } from './logo.ts'
import { addProgressRoutes } from './progress.ts'
import { addQrImage } from './qr-image.ts'
import { surchargeOfQuestion } from './question-part.ts'
import { addShopLogos } from './shop-look.ts'
import { busyAsPage, elsewherePage, unknownPage } from './stop-pages.ts'
import { verificationPage } from './verification-page.ts'
import { chooseLanguage } from './words/languages.ts'

const IdParams = Type.Object({ id: Type.String() })
const PageQuery = Type.Object({ lang: Type.Optional(Type.String()), about: Type.Optional(Type.String()) })
const FOR_EVER = 'public, max-age=31536000, immutable'

/** `addMore` adds pages of other features, which share the assets. */
export function addPageRoutes(app: App, deps: Deps, addMore: (routes: App, assets: Assets) => void): void {
  app.register(async (routes: App) => {
    const assets = await loadAssets()
    for (const asset of assets.files) addAsset(routes, deps, asset)
    addBrandStyles(routes, deps)
    addFonts(routes, deps)
    addVerificationPage(routes, deps, assets)
    addHold(routes, deps)
    addLogo(routes, deps)
    addShopLogos(routes, deps)
    addProgressRoutes(routes, deps)
    addQrImage(routes, deps)
    addCard(routes, deps)
    addElementRoute(routes, deps)
    addMore(routes, assets)
  })
}

function addAsset(routes: App, deps: Deps, asset: Asset): void {
  routes.get(asset.path, { ...withoutKey(deps), schema: { hide: true } }, async (request, reply) => {
    const zipped = acceptsGzip(request)
    reply.header('Cache-Control', FOR_EVER).header('Vary', 'Accept-Encoding').type(asset.type)
    if (zipped) reply.header('Content-Encoding', 'gzip')
    return reply.send(zipped ? asset.gzip : asset.plain)
  })
}

function addVerificationPage(routes: App, deps: Deps, assets: Assets): void {
  const schema = { hide: true, params: IdParams, querystring: PageQuery }
  const languageOf = (request: FastifyRequest) => {
    const { lang } = request.query as { lang?: string }
    return chooseLanguage(lang, request.headers['accept-language'])
  }
  routes.get('/verify/:id', { ...withoutKey(deps), schema, onSend: busyAsPage(assets) }, async (request, reply) => {
    const { id } = request.params
    const language = languageOf(request)
    const unknown = () => sendPage(reply, assets, unknownPage(language))
    if (!isVerificationId(id)) return unknown()
    await spend(deps, reply, id)
    try {
      const verification = await readHostedPage(deps, id)
      await spendOfAddress(deps, { request, reply }, surchargeOfQuestion(verification))
      const browserHash = browserHashOf(deps, request, id)
      const ownership = ownershipOf(verification.browser, browserHash)
      const isOpen = OPEN_STEPS.has(verification.step)
      // Any browser that returns from a wallet sees the outcome of an ended verification. A sign-in is never shown to
      // another browser.
      if (ownership === 'elsewhere' && (isOpen || verification.browser.isSignIn))
        return await sendPage(reply, assets, await elsewhere(deps, verification, language))
      const mustHold = ownership === 'free' && isOpen
      if (mustHold) offerSecret(deps, { request, reply }, verification)
      else removeSurplusSecrets(deps, { request, reply }, id)
      const brand = await brandOfAsker(deps, verification)
      const mayKnowReason = isBoundTo(verification.browser, browserHash)
      const options = {
        language,
        brand,
        sandbox: deps.sandbox !== null,
        onPhone: isPhone(request),
        isPreview: false,
        mustHold,
        mayKnowReason,
      }
      const agreesTo = mayKnowReason && !isOpen ? rememberedKind(request.query.about) : verification.agreesTo
      return await sendPage(reply, assets, verificationPage({ ...verification, agreesTo }, options))
    } catch (error) {
      if (error instanceof Refusal && error.code === 'session_not_found') return unknown()
      throw error
    }
  })
}

/** The transaction is deleted when the verification ends. The page keeps its kind in the address, which only selects words. */
const rememberedKind = (about: string | undefined) => AGREED_KINDS.find((kind) => kind === about) ?? null

/** Names the merchant, so that the person can ask for a new link. Not for a sign-in, whose link may come from a phisher. */
async function elsewhere(deps: Deps, verification: HostedVerification, language: Language): Promise<Page> {
  const { browser, step } = verification
  // After the end, the browser that began the sign-in no longer has its cookie, and the holder may have shared data.
  if (browser.isSignIn) return elsewherePage(language, OPEN_STEPS.has(step) ? 'signIn' : 'signInOver', null)
  return elsewherePage(language, 'held', await brandOfAsker(deps, verification))
}

/**
 * Sends a secret but binds nothing: only the page's script binds (`/hold`). A client that merely fetches a link preview
 * must not bind the verification.
 */
function offerSecret(
  deps: Deps,
  at: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { id, expiresAtMs }: HostedVerification,
): void {
  if (browserHashOf(deps, at.request, id) !== null) return
  keepSecret(deps, at, { id, expiresAtMs, secret: newSecret(deps.random, 'browser').text })
}

function keepSecret(
  deps: Deps,
  at: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { id, expiresAtMs, secret }: { readonly id: string; readonly expiresAtMs: number; readonly secret: string },
): void {
  const seconds = Math.ceil((expiresAtMs - deps.clock.now()) / 1000) + KEPT_AFTERWARDS_SECONDS
  setBrowserSecret(deps, at, { verificationId: id, secret, seconds })
}

/** The cookie outlives the verification, so that a reload still shows the outcome. */
const KEPT_AFTERWARDS_SECONDS = 600

function addHold(routes: App, deps: Deps): void {
  const schema = { hide: true, params: IdParams, response: { 200: HeldPage } }
  routes.post('/verify/:id/hold', { ...withoutKey(deps), schema }, async (request, reply) => {
    const { id } = request.params
    if (!isVerificationId(id)) throw new Refusal('session_not_found')
    await spend(deps, reply, id)
    const secret = browserSecretOf(deps, request, id)
    const browserHash = browserHashOf(deps, request, id)
    const { ownership, expiresAt } = await holdForBrowser(deps, { id, browserHash })
    // Stores the secret again: another tab may have loaded the page meanwhile and replaced the cookie.
    if (ownership === 'here' && secret !== null && browserHash !== null)
      keepSecret(deps, { request, reply }, { id, expiresAtMs: millisecondsOf(expiresAt), secret })
    return { held: ownership === 'free' ? ('no_cookie' as const) : ownership }
  })
}

function addLogo(routes: App, deps: Deps): void {
  const schema = { hide: true, params: IdParams, querystring: Type.Object({ v: Type.Optional(Type.String()) }) }
  routes.get('/verify/:id/logo', { ...withoutKey(deps), schema }, async (request, reply) => {
    const { id } = request.params
    if (!isVerificationId(id)) throw new Refusal('not_found')
    await spend(deps, reply, id)
    const { logo, logoDark } = await readLogosOfAsker(deps, id)
    const shown = request.query.v !== undefined && request.query.v === logoDark?.hash ? logoDark : logo
    if (shown === null) throw new Refusal('not_found')
    return sendLogo(reply, shown)
  })
}

const spend = (deps: Deps, reply: FastifyReply, id: string) =>
  spendBudget(deps, reply, { name: 'verification', key: id, budget: deps.config.rates.verification })

/** A guess from the user agent. It only decides what is folded at first. */
const isPhone = ({ headers }: FastifyRequest) =>
  headers['sec-ch-ua-mobile'] === '?1' || /\bMobi/.test(headers['user-agent'] ?? '')
