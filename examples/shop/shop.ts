// A shop that sells wine to people who are old enough. It learns of the answer in three ways, and any one is enough:
// the page says "something happened" and the server reads; the wallet brings the browser back with a code; a webhook comes.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Verification, Vidimus, VidimusError, verifyWebhook, WebhookVerificationError } from '@vidimus/sdk'
import { createOrders, newSecret, type Order, type Orders } from './orders.ts'
import { checkoutPage, type Files, frontPage, loadFiles, returnPage } from './pages.ts'

export interface ShopOptions {
  /** Where the shop itself is. */
  readonly address: string
  readonly vidimusUrl: string
  readonly apiKey: string
  readonly webhookSecret: string
  /** Whether the service can reach the shop. On one machine it must not, and `vidimus listen` forwards. */
  readonly isPublic: boolean
  /** As the company's list of origins has it: there the shop's own page asks, where its browser can. null: it is not listed. */
  readonly origin: string | null
}

interface Shop extends ShopOptions {
  readonly vidimus: Vidimus
  readonly orders: Orders
  readonly files: Files
}

type Route = (shop: Shop, request: IncomingMessage, response: ServerResponse) => Promise<void>

const ROUTES: Readonly<Record<string, Route>> = {
  'GET /': async (_shop, _request, response) => sendHtml(response, frontPage()),
  'GET /checkout': showCheckout,
  'POST /checkout': placeOrder,
  'POST /checkout/check': readResult,
  'GET /checkout/return': async (_shop, _request, response) => sendHtml(response, returnPage()),
  'POST /checkout/redeem': redeemCode,
  'POST /webhooks': takeWebhook,
}

export async function createShop(
  options: ShopOptions,
): Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>> {
  const vidimus = new Vidimus({ baseUrl: options.vidimusUrl, apiKey: options.apiKey })
  const shop: Shop = { ...options, vidimus, orders: createOrders(), files: await loadFiles() }
  return async (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    response.setHeader('Content-Security-Policy', policyOf(shop))
    response.setHeader('Cache-Control', 'no-store')
    try {
      const file = request.method === 'GET' ? shop.files[path] : undefined
      if (file !== undefined) return void response.setHeader('Content-Type', file.type).end(file.text)
      const route = ROUTES[`${request.method} ${path}`]
      if (route === undefined) return void response.writeHead(404).end('not here')
      await route(shop, request, response)
    } catch (error) {
      // The customer does not see the reason; the shop's log has it.
      console.error(error instanceof VidimusError ? `${error.code} ${error.requestId ?? ''}` : error)
      response.writeHead(502).end('something went wrong')
    }
  }
}

function policyOf({ vidimusUrl }: Shop): string {
  const { origin } = new URL(vidimusUrl)
  return `default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; img-src ${origin}; connect-src 'self' ${origin}`
}

async function placeOrder(shop: Shop, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isOwnPage(shop, request)) return void response.writeHead(403).end()
  const number = newSecret()
  const session = newSecret()
  const { id, wallet_uri = '' } = await shop.vidimus.verifications.create(
    {
      template: 'age_over_18',
      purpose: 'To sell you a bottle of wine',
      metadata: { order: number },
      ...(shop.origin === null ? {} : { origin: shop.origin }),
      redirect_url: `${shop.address}/checkout/return`,
      ...(shop.isPublic ? { webhook_url: `${shop.address}/webhooks` } : {}),
    },
    { idempotencyKey: number },
  )
  shop.orders.add({ number, session, verificationId: id, walletUri: wallet_uri })
  const secure = shop.address.startsWith('https:') ? '; Secure' : ''
  response.setHeader('Set-Cookie', `session=${session}; HttpOnly; SameSite=Lax; Path=/${secure}`)
  response.writeHead(303, { Location: '/checkout' }).end()
}

async function showCheckout(shop: Shop, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const order = orderOf(shop, request)
  if (order === undefined) return void response.writeHead(303, { Location: '/' }).end()
  sendHtml(response, checkoutPage(order, shop))
}

/** The browser only says when to look. What it says about the outcome counts for nothing. */
async function readResult(shop: Shop, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const order = orderOf(shop, request)
  if (order === undefined || !isOwnPage(shop, request)) return void response.writeHead(403).end()
  settle(order, await shop.vidimus.verifications.get(order.verificationId))
  sendJson(response, { state: order.state })
}

/** The id comes from the session, the code from the browser: together they prove that this browser came back. */
async function redeemCode(shop: Shop, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const order = orderOf(shop, request)
  if (order === undefined || !isOwnPage(shop, request)) return void response.writeHead(403).end()
  const code = (await readBody(request)).toString('utf8')
  try {
    settle(order, await shop.vidimus.verifications.redeem(order.verificationId, code))
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
    // A type newer than this SDK is nothing this shop acts on.
    const verification = event.type === 'unknown' ? undefined : event.verification
    const order = shop.orders.ofNumber(verification?.metadata?.order ?? '')
    if (order !== undefined && verification !== undefined) settle(order, verification)
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    response.writeHead(400).end(error.code)
  }
}

/** The same answer may come three times; it settles the order once. A "completed" is not yet a yes: the claim is. */
function settle(order: Order, verification: Verification): void {
  if (order.state !== 'waiting' || verification.id !== order.verificationId || verification.status === 'pending') return
  const isOldEnough = verification.status === 'completed' && verification.claims?.age_over_18 === true
  order.state = isOldEnough ? 'sold' : 'refused'
}

function orderOf(shop: Shop, request: IncomingMessage): Order | undefined {
  const [, session] = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '') ?? []
  return session === undefined ? undefined : shop.orders.ofSession(session)
}

/** No other site may act for the customer. */
function isOwnPage({ address }: Shop, request: IncomingMessage): boolean {
  return request.headers.origin === new URL(address).origin
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

function sendHtml(response: ServerResponse, html: string): void {
  response.setHeader('Content-Type', 'text/html; charset=utf-8').end(html)
}

function sendJson(response: ServerResponse, value: object): void {
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(value))
}
