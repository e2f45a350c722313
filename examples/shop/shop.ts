// Runs a wine shop whose checkout asks for an age, a payment's confirmation, or both in one answer.

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type NewVerification,
  type Verification,
  Vidimus,
  VidimusError,
  verifyWebhook,
  WebhookVerificationError,
} from '@vidimus/sdk'
import { BASKET_MAX, createVisitors, needsAge, newOrderNumber, type Order, totalOf, type Visitor } from './orders.ts'
import { basketPage, checkoutPage, type Files, frontPage, loadFiles, returnPage } from './pages.ts'
import { productOf } from './products.ts'
import { createSignIn, type SignIn, type SignInOptions } from './sign-in.ts'

export interface ShopOptions {
  /** The shop's own address. */
  readonly address: string
  readonly vidimusUrl: string
  readonly apiKey: string
  readonly webhookSecret: string
  /** Whether the service can reach the shop. On one machine it must not, and `vidimus listen` forwards webhooks. */
  readonly isPublic: boolean
  /** The shop's origin in the company's list of origins. On it the shop's own page asks through the browser. null: it is not listed. */
  readonly origin: string | null
  /** null: without "sign in with your wallet". */
  readonly signIn: SignInOptions | null
}

interface Shop extends Omit<ShopOptions, 'signIn'> {
  readonly vidimus: Vidimus
  readonly visitors: ReturnType<typeof createVisitors>
  readonly files: Files
  readonly signIn: SignIn | null
}

interface Visit {
  readonly shop: Shop
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly visitor: Visitor
}

type Route = (visit: Visit) => Promise<void>

const ROUTES: Readonly<Record<string, Route>> = {
  'GET /': async ({ shop, response, visitor }) => sendHtml(response, frontPage(visitor, shop)),
  'GET /basket': async ({ shop, response, visitor }) => sendHtml(response, basketPage(visitor, shop)),
  'POST /basket': changeBasket,
  'GET /checkout': showCheckout,
  'POST /checkout': placeOrder,
  'POST /checkout/check': readResult,
  'GET /checkout/return': async ({ shop, response, visitor }) => sendHtml(response, returnPage(visitor, shop)),
  'POST /checkout/redeem': redeemCode,
  'GET /sign-in': beginSignIn,
  'GET /callback': finishSignIn,
  'POST /till': openTill,
}

/**
 * The shop gets the answer in three ways: its page reports a change and the server reads the result; the wallet returns
 * the browser with a code; a webhook arrives. Only the code shows that the answer came through the browser that ordered.
 * This shop also sells to a person who answers with another device, so it takes the first of the three.
 */
export async function createShop(
  options: ShopOptions,
): Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>> {
  const { address, vidimusUrl, apiKey } = options
  const vidimus = new Vidimus({ baseUrl: vidimusUrl, apiKey })
  const signIn = options.signIn === null ? null : await createSignIn(address, options.signIn)
  const shop: Shop = { ...options, vidimus, signIn, visitors: createVisitors(), files: await loadFiles() }
  return async (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    response.setHeader('Content-Security-Policy', policyOf(shop))
    response.setHeader('Cache-Control', 'no-store')
    try {
      const file = request.method === 'GET' ? shop.files[path] : undefined
      if (file !== undefined) return void response.setHeader('Content-Type', file.type).end(file.content)
      if (`${request.method} ${path}` === 'POST /webhooks') return await takeWebhook(shop, request, response)
      const route = ROUTES[`${request.method} ${path}`]
      if (route === undefined) return void response.writeHead(404).end('not here')
      // No other site may act for the customer.
      const isOwnPage = request.headers.origin === new URL(address).origin
      if (request.method !== 'GET' && !isOwnPage) return void response.writeHead(403).end()
      await route({ shop, request, response, visitor: visitorOf(shop, request, response) })
    } catch (error) {
      // The customer does not learn why; the shop's log does.
      console.error(error instanceof VidimusError ? `${error.code} ${error.requestId ?? ''}` : error)
      response.writeHead(502).end('something went wrong')
    }
  }
}

function policyOf({ vidimusUrl }: Shop): string {
  const { origin } = new URL(vidimusUrl)
  return `default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; form-action 'self' ${origin}; img-src ${origin}; connect-src 'self' ${origin}`
}

function visitorOf({ visitors, address }: Shop, request: IncomingMessage, response: ServerResponse): Visitor {
  const [, session = ''] = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '') ?? []
  const known = visitors.find(session)
  if (known !== undefined) return known
  const visitor = visitors.add()
  const secure = address.startsWith('https:') ? '; Secure' : ''
  response.setHeader('Set-Cookie', `session=${visitor.session}; HttpOnly; SameSite=Lax; Path=/${secure}`)
  return visitor
}

async function changeBasket({ request, response, visitor }: Visit): Promise<void> {
  const form = new URLSearchParams((await readBody(request)).toString('utf8'))
  const [added, removed] = [productOf(form.get('add') ?? ''), form.get('remove')]
  if (added !== undefined && visitor.basket.length < BASKET_MAX) visitor.basket.push(added)
  const at = visitor.basket.findIndex(({ id }) => id === removed)
  if (at >= 0) visitor.basket.splice(at, 1)
  redirect(response, added === undefined ? '/basket' : '/')
}

async function placeOrder({ shop, request, response, visitor }: Visit): Promise<void> {
  const form = new URLSearchParams((await readBody(request)).toString('utf8'))
  const [number, items] = [newOrderNumber(), [...visitor.basket]]
  if (items.length === 0) return redirect(response, '/basket')
  const payment = form.get('payment') === 'wallet' ? 'wallet' : 'invoice'
  const question = questionFor({ number, items, payment })
  const verification = question === null ? null : await askWallet(shop, number, question)
  const state = verification === null ? 'sold' : 'waiting'
  visitor.order = { number, items, payment, verification, state, refusal: null }
  if (verification === null) visitor.basket.length = 0
  redirect(response, '/checkout')
}

/** The sandbox's payment card, with which a holder can confirm payments. */
const CARD = {
  id: 'card',
  format: 'dc+sd-jwt',
  meta: { vct_values: ['urn:vidimus:sandbox:payment-card:1'] },
  claims: [{ path: ['pan_last_four'] }],
}
const ID = {
  id: 'id',
  format: 'dc+sd-jwt',
  meta: { vct_values: ['urn:eudi:pid:1'] },
  claims: [{ path: ['age_equal_or_over', '18'] }],
}

/** An age, a payment, or both in one answer; null: neither. */
function questionFor({ number, items, payment }: Pick<Order, 'number' | 'items' | 'payment'>): NewVerification | null {
  if (payment === 'invoice') return needsAge(items) ? { template: 'age_over_18' } : null
  const payload = {
    transaction_id: number,
    payee: { name: 'Sonnenhof Wines', id: 'DE02120300000000202051' },
    currency: 'EUR',
    amount: totalOf(items) / 100,
  }
  return {
    query: { credentials: needsAge(items) ? [CARD, ID] : [CARD] },
    transaction: [{ type: 'urn:eudi:sca:payment:1', credential: ['card'], payload }],
  }
}

async function askWallet(shop: Shop, number: string, question: NewVerification) {
  const { id, wallet_uri: walletUri = '' } = await shop.vidimus.verifications.create(
    {
      ...question,
      purpose: 'To complete your order at Sonnenhof Wines',
      metadata: { order: number },
      ...(shop.origin === null ? {} : { origin: shop.origin }),
      redirect_url: `${shop.address}/checkout/return`,
      ...(shop.isPublic ? { webhook_url: `${shop.address}/webhooks` } : {}),
    },
    { idempotencyKey: number },
  )
  return { id, walletUri }
}

async function showCheckout({ shop, response, visitor }: Visit): Promise<void> {
  if (visitor.order === null) return redirect(response, '/')
  sendHtml(response, checkoutPage(visitor, visitor.order, shop))
}

/** The browser only says when to check. Its statement about the outcome does not count. */
async function readResult({ shop, response, visitor }: Visit): Promise<void> {
  const { order } = visitor
  if (order?.verification == null) return void response.writeHead(403).end()
  settle(visitor, await shop.vidimus.verifications.get(order.verification.id))
  sendJson(response, { state: order.state })
}

/** The id comes from the session, the code from the browser. A shop that needs the same browser settles only here. */
async function redeemCode({ shop, request, response, visitor }: Visit): Promise<void> {
  const { order } = visitor
  if (order?.verification == null) return void response.writeHead(403).end()
  const code = (await readBody(request)).toString('utf8')
  try {
    settle(visitor, await shop.vidimus.verifications.redeem(order.verification.id, code))
  } catch (error) {
    const wrong = error instanceof VidimusError && ['invalid_response_code', 'invalid_request'].includes(error.code)
    if (!wrong) throw error
    return void response.writeHead(403).end()
  }
  sendJson(response, { state: order.state })
}

async function takeWebhook(shop: Shop, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const body = await readBody(request)
    const event = await verifyWebhook(body, request.headers['x-service-signature'], [shop.webhookSecret])
    // The shop ignores types that are newer than this SDK.
    const verification = event.type === 'unknown' ? undefined : event.verification
    const visitor = shop.visitors.whoOrdered(verification?.metadata?.order ?? '')
    if (visitor !== undefined && verification !== undefined) settle(visitor, verification)
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    response.writeHead(400).end(error.code)
  }
}

/** Settles an order once, because the same answer may arrive three times. "completed" does not mean yes: the claim decides. */
function settle({ order, basket }: Visitor, { id, status, claims, error }: Verification): void {
  if (order?.state !== 'waiting' || id !== order.verification?.id || status === 'pending') return
  order.state = status === 'completed' && (!needsAge(order.items) || isOldEnough(claims)) ? 'sold' : 'refused'
  if (order.state === 'refused') order.refusal = refusalOf(status, error?.code)
  // A refused customer still has the basket, and can try again.
  if (order.state === 'sold') basket.length = 0
}

const REFUSALS: Readonly<Record<string, string>> = {
  wallet_declined: 'You declined, or your wallet has no matching ID.',
  credential_expired: 'Your ID has expired. Use another one.',
  credential_revoked: 'Your ID has been revoked by its issuer. Use another one.',
  issuer_untrusted: 'We do not accept IDs of this issuer. Use another one.',
  transaction_not_confirmed: 'The payment was not confirmed in your wallet.',
}

/** In words for the customer. Details that could help a forger are left out: all other reasons have one sentence. */
function refusalOf(status: Verification['status'], code = ''): string {
  if (status === 'completed') return 'We sell wine only to people who are 18 or older.'
  if (status === 'expired') return 'Your wallet did not answer in time.'
  return REFUSALS[code] ?? 'Your wallet answered, but we could not accept the answer.'
}

/** A template's claim has its own name; a query's claim has the credential's name. */
function isOldEnough(claims: Verification['claims']): boolean {
  const own = claims?.age_equal_or_over as { readonly 18?: unknown } | undefined
  return claims?.age_over_18 === true || own?.[18] === true
}

async function beginSignIn({ shop, response, visitor }: Visit): Promise<void> {
  redirect(response, shop.signIn === null ? '/' : await shop.signIn.begin(visitor))
}

async function finishSignIn({ shop, request, response, visitor }: Visit): Promise<void> {
  const name = (await shop.signIn?.finish(visitor, new URL(request.url ?? '', shop.address))) ?? null
  if (name !== null) visitor.name = name
  redirect(response, '/')
}

/** A till for the counter, in this browser: paired by the code in the link. */
async function openTill({ shop, response }: Visit): Promise<void> {
  const device = { name: 'Counter', allowed_templates: ['age_over_18'] }
  const { pairing_code: code } = await shop.vidimus.devices.register(device)
  redirect(response, `${shop.vidimusUrl}/till#${code}`)
}

const BODY_BYTES_MAX = 256 * 1024

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > BODY_BYTES_MAX) throw new Error('a body that is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const redirect = (response: ServerResponse, location: string) => void response.writeHead(303, { location }).end()

function sendHtml(response: ServerResponse, html: string): void {
  response.setHeader('Content-Type', 'text/html; charset=utf-8').end(html)
}

function sendJson(response: ServerResponse, value: object): void {
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(value))
}
