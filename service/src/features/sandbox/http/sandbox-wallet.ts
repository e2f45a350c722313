// Serves the web test wallet, which reaches only verifications of the test environment.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ownershipOf } from '../../../core/verifications/domain/browser-binding.ts'
import { SAME_DEVICE } from '../../../core/verifications/domain/verification.ts'
import { browserHashOf, setBrowserSecret } from '../../../core/verifications/http/browser-cookie.ts'
import { readForm, takeFormsOnly } from '../../../core/verifications/http/wallet/form.ts'
import { holdForBrowser } from '../../../core/verifications/usecases/asking/hold-verification.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import { addressBucket } from '../../../platform/http/address.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget, spendOrReserve } from '../../../platform/http/bounds/budget.ts'
import { TEST_WALLET } from '../../../platform/http/bounds/limits.ts'
import { newSecret } from '../../../platform/one-time-secret.ts'
import {
  type Assets,
  brandOfAsker,
  busyAsPage,
  chooseLanguage,
  type HostedVerification,
  type Page,
  readHostedPage,
  readProgress,
  sendPage,
} from '../../pages/index.ts'
import {
  BROWSER_PROTOCOLS,
  type BrowserRequest,
  type Exchange,
  REGISTRAR_PATHS,
  type Refused,
  type Sandbox,
} from '../../trust/index.ts'
import { askPage } from './ask-page.ts'
import { closedPage, linkPage } from './link-page.ts'
import { resultPage } from './result-page.ts'
import type { Shown } from './wallet-frame.ts'
import type { Closed } from './wallet-words/words.ts'

type Needs = Deps & { readonly sandbox: Sandbox }

const LINK_LENGTH_MAX = 4096
/** What the wallet computes, in requests of the visitor's budget: checking a request object, or also signing an answer. */
const PRICE = { inspect: 5, present: 10 } as const

export function addSandboxPages(app: App, deps: Needs, assets: Assets): void {
  app.register(async (routes: App) => {
    takeFormsOnly(routes)
    const forPeople = { ...withoutKey(deps), onSend: busyAsPage(assets) }
    routes.get(
      '/sandbox/wallet',
      {
        ...forPeople,
        schema: {
          hide: true,
          querystring: Type.Object({
            uri: Type.Optional(Type.String({ maxLength: LINK_LENGTH_MAX })),
            lang: Type.Optional(Type.String()),
          }),
        },
      },
      async (request, reply) => {
        const link = request.query.uri?.trim() ?? ''
        const shown = shownTo(deps, assets, { request, lang: request.query.lang })
        const page = link === '' ? linkPage(shown) : await inspect(routes, deps, { link, request, reply, shown })
        return sendPage(reply, assets, page)
      },
    )
    routes.post('/sandbox/wallet', { ...forPeople, schema: { hide: true }, bodyLimit: 16 * 1024 }, (request, reply) =>
      present(routes, deps, { request, reply, assets }),
    )
    for (const name of ['status-list.jwt', 'status-list.cwt', 'iaca.crl']) addDocument(routes, deps, `/sandbox/${name}`)
    for (const path of REGISTRAR_PATHS) addDocument(routes, deps, `/sandbox/registrar${path}`)
  })
}

/** Chooses the language as the hosted page does. */
const shownTo = (
  { sandbox: { person } }: Needs,
  { walletStyle }: Assets,
  { request, lang }: { readonly request: FastifyRequest; readonly lang: string | undefined },
): Shown => ({
  language: chooseLanguage(lang, request.headers['accept-language']),
  style: walletStyle,
  person,
})

async function inspect(
  app: App,
  deps: Needs,
  { link, request, reply, shown }: { link: string; request: FastifyRequest; reply: FastifyReply; shown: Shown },
): Promise<Page> {
  const verification = await findVerification(deps, link)
  if (typeof verification === 'string') return closedPage(shown, { link, about: verification })
  await pay(deps, { request, reply }, PRICE.inspect)
  const inspection = await deps.sandbox.inspect(link, exchangeWithin(app, deps, request), deps.clock.now())
  if (inspection.outcome === 'refused') return refusedPage(shown, { link, verification, refused: inspection })
  const brand = await brandOfAsker(deps, verification)
  return askPage(shown, { link, verification, brand, inspection, sandbox: deps.sandbox })
}

/** The visitor pays first, so that a visitor whose budget is empty uses up nothing of the rate that all share. */
async function pay(
  deps: Needs,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  amount: number,
): Promise<void> {
  await spendBudget(deps, reply, { name: 'ip', key: addressBucket(request.ip), budget: deps.config.rates.ip, amount })
  await spendOrReserve(deps, { name: 'test_wallet', key: 'all', budget: TEST_WALLET }, null)
}

function refusedPage(
  shown: Shown,
  { link, verification, refused }: { link: string; verification: HostedVerification; refused: Refused },
): Page {
  const { about, reason } = refused
  return closedPage(shown, {
    link,
    about: about === 'fetch' ? whyNotFetched(verification) : about,
    reason,
    id: verification.id,
  })
}

function whyNotFetched({ status }: HostedVerification): Closed {
  if (status === 'expired') return 'expired'
  return status === 'pending' ? 'unavailable' : 'answered'
}

async function present(
  app: App,
  deps: Needs,
  { request, reply, assets }: { request: FastifyRequest; reply: FastifyReply; assets: Assets },
): Promise<FastifyReply> {
  const form = readForm(request.body instanceof Uint8Array ? request.body : new Uint8Array())
  const link = form.get('uri') ?? ''
  if (link.length > LINK_LENGTH_MAX)
    throw new Refusal('invalid_request', { message: `uri: at most ${LINK_LENGTH_MAX} characters are expected.` })
  const shown = shownTo(deps, assets, { request, lang: form.get('lang') })
  const send = (page: Page) => sendPage(reply, assets, page)
  const before = await findVerification(deps, link)
  if (typeof before === 'string') return send(closedPage(shown, { link, about: before }))
  await pay(deps, { request, reply }, PRICE.present)
  const declines = form.get('answer') === 'decline'
  const scenario = declines ? 'declined' : (form.get('scenario') ?? '')
  const offer = browserOfferOf(deps, before, form.get('way'))
  const cookie = offer === null ? undefined : await holdAsBrowser(deps, { request, reply }, before)
  const wrong = form.get('transaction') ?? 'signs'
  const presented = await deps.sandbox.present(link, {
    scenario,
    exchange: exchangeWithin(app, deps, request, cookie),
    nowMs: deps.clock.now(),
    picks: readPicks(form),
    ...(wrong === 'signs' ? {} : { transaction: wrong }),
    ...(offer === null ? {} : { browserRequest: offer }),
  })
  const after = await readHostedPage(deps, before.id)
  if (presented.outcome === 'refused')
    return send(refusedPage(shown, { link, verification: after, refused: presented }))
  const { scenarios, transactionScenarios } = deps.sandbox
  const faults = transactionScenarios.filter(({ name }) => name === wrong)
  const played = [...scenarios.filter(({ name }) => name === scenario), ...faults]
  return send(
    resultPage(shown, {
      presented,
      // The service no longer shows the transaction, so its kind comes from the state before the end.
      verification: { ...after, agreesTo: before.agreesTo },
      brand: await brandOfAsker(deps, before),
      errorCode: after.status === 'failed' ? (await readProgress(deps, after.id)).errorCode : null,
      played: declines ? null : played,
    }),
  )
}

/** The chosen option for each set of the query; null if the set is not answered. */
function readPicks(form: ReadonlyMap<string, string>): ReadonlyMap<number, number | null> {
  const picks = [...form].flatMap(([name, value]) => {
    const [, set] = /^pick\.(\d{1,3})$/.exec(name) ?? []
    return set === undefined ? [] : [[Number(set), value === 'none' ? null : Number(value)] as const]
  })
  return new Map(picks)
}

/** Binds an unbound verification to the visitor's browser, as the hosted page does. The test wallet acts as that browser. */
async function holdAsBrowser(
  deps: Needs,
  at: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { id, browser }: HostedVerification,
): Promise<string | undefined> {
  const own = at.request.headers.cookie
  const known = browserHashOf(deps, at.request, id)
  if (ownershipOf(browser, known) !== 'free') return own
  const fresh = newSecret(deps.random, 'browser')
  await holdForBrowser(deps, { id, browserHash: known ?? fresh.hash })
  if (known !== null) return own
  const pair = setBrowserSecret(deps, at, { verificationId: id, secret: fresh.text, seconds: BOUND_SECONDS })
  return own === undefined ? pair : `${own}; ${pair}`
}

const BOUND_SECONDS = 3600

/** Returns null if the wallet answers through the link. */
function browserOfferOf(
  { config }: Pick<Deps, 'config'>,
  { id, origin }: HostedVerification,
  channel: string | undefined,
): BrowserRequest | null {
  const protocol = BROWSER_PROTOCOLS.find((known) => known === channel)
  return protocol === undefined ? null : { offerUrl: `${config.baseUrl}/wallet/dc-api/${id}`, origin, protocol }
}

/** The verification of a link, or why the test wallet does not open it. */
async function findVerification(deps: Needs, link: string): Promise<HostedVerification | 'live' | 'foreign' | 'link'> {
  if (!/[?&](?:request_uri|response_uri)=/.test(link)) return 'link'
  try {
    const verification = await readHostedPage(deps, idOf(deps, link))
    return verification.environment === 'test' ? verification : 'live'
  } catch (error) {
    if (error instanceof Refusal && error.code === 'session_not_found') return 'foreign'
    throw error
  }
}

/** Returns the id in a link; empty if the link is not ours. An age link has a response address in place of a request address. */
function idOf({ config: { baseUrl } }: Pick<Deps, 'config'>, link: string): string {
  const mark = link.indexOf('?')
  const parameters = new URLSearchParams(mark < 0 ? '' : link.slice(mark + 1))
  for (const [name, base] of [
    ['request_uri', `${baseUrl}/wallet/request/`],
    ['response_uri', `${baseUrl}/wallet/response/`],
  ] as const) {
    const uri = parameters.get(name)
    if (uri?.startsWith(base) === true) return uri.slice(base.length).replace(SAME_DEVICE, '')
  }
  return ''
}

/** Calls the routes of this process and spends the visitor's own budget. No other address is reachable. */
function exchangeWithin(
  app: App,
  deps: Pick<Deps, 'config'>,
  visitor: FastifyRequest,
  cookie: string | undefined = undefined,
): Exchange {
  return async ({ method, url, headers, body }) => {
    const { baseUrl } = deps.config
    if (!url.startsWith(`${baseUrl}/wallet/`)) return { status: 403, contentType: 'text/plain', body: '' }
    const answer = await app.inject({
      method,
      url: url.slice(baseUrl.length),
      headers: cookie === undefined ? headers : { ...headers, cookie },
      remoteAddress: visitor.ip,
      ...(body === null ? {} : { payload: body }),
    })
    return {
      status: answer.statusCode,
      contentType: String(answer.headers['content-type'] ?? ''),
      body: answer.payload,
    }
  }
}

function addDocument(routes: App, deps: Needs, path: string): void {
  routes.get(path, { ...withoutKey(deps), schema: { hide: true } }, async (request, reply) => {
    // Only queries of the register keep their query string; documents do not need it.
    const target = path.includes('/wrp') ? request.url : path
    const document = await deps.sandbox.documentAt(`${deps.config.baseUrl}${target}`, deps.clock.now())
    if (document === null) throw new Refusal('not_found')
    const { bytes, contentType, status = 200, headers = {} } = document
    return reply.code(status).headers(headers).type(contentType).send(Buffer.from(bytes))
  })
}
