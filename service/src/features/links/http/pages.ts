// Serves /l/{secret}, the page of a link. Its button creates a verification for this browser.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Language } from '../../../../../labels/catalogue.ts'
import { TTL_SECONDS } from '../../../../../wire/values/verifications.ts'
import { spendAsKey } from '../../../core/http/principal.ts'
import {
  allBrowserHashesOf,
  browserSecretOf,
  clearBrowserSecret,
  setBrowserSecret,
} from '../../../core/verifications/http/browser-cookie.ts'
import { takeFormsOnly } from '../../../core/verifications/http/wallet/form.ts'
import { bodiesAreBytes } from '../../../core/verifications/http/wallet/guards.ts'
import type { Deps } from '../../../deps.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import { addressBucket } from '../../../platform/http/address.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendOrReserve } from '../../../platform/http/bounds/budget.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { newSecret } from '../../../platform/one-time-secret.ts'
import {
  type Assets,
  type Brand,
  brandLinks,
  brandOf,
  brandPart,
  busyAsPage,
  chooseLanguage,
  languageLinks,
  loadAssets,
  NO_LOGO_URLS,
  WORDS as PAGE_WORDS,
  readBranding,
  sendPage,
} from '../../pages/index.ts'
import type { Link } from '../domain/link.ts'
import { type FoundLink, findBegun, findLink, type LinkStop, openLink } from '../usecases/open-link.ts'
import { WORDS } from './words.ts'

/** Budgets for creations: per network, link, tenant and in total. Beyond the total, each tenant has a reserve. */
const RATES = {
  address: { perSecond: 1, burst: 60 },
  link: { perSecond: 5, burst: 100 },
  tenant: { perSecond: 20, burst: 250 },
  all: { perSecond: 50, burst: 500 },
  reserve: { tenant: { perSecond: 1, burst: 20 }, all: { perSecond: 10, burst: 100 } },
} as const

const STATUSES: Readonly<Record<LinkStop, number>> = {
  unknown: 404,
  scheduled: 403,
  used_up: 410,
  ended: 410,
  revoked: 410,
  unavailable: 409,
  busy: 429,
}

const BODY_BYTES_MAX = 1024
/** How long the browser keeps its secret: the longest lifetime of a verification, and ten minutes. */
const SECRET_SECONDS = TTL_SECONDS.max + 600

interface Visit {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly assets: Assets
  readonly secret: string
  readonly language: Language
}

/** Loading the page takes no use of the link, because link previews and mail scanners load it, too. */
export function addLinkPages(app: App, deps: Deps): void {
  const params = Type.Object({ secret: Type.String() })
  const querystring = Type.Object({ lang: Type.Optional(Type.String()) })
  app.register(async (routes: App) => {
    takeFormsOnly(routes)
    const assets = await loadAssets()
    const onSend = busyAsPage(assets)
    const visit = (request: FastifyRequest, reply: FastifyReply): Visit => {
      const { secret } = request.params as { secret: string }
      const { lang } = request.query as { lang?: string }
      return { request, reply, assets, secret, language: chooseLanguage(lang, request.headers['accept-language']) }
    }
    routes.get(
      '/l/:secret',
      { ...withoutKey(deps), onSend, schema: { hide: true, params, querystring } },
      (request, reply) => show(deps, visit(request, reply)),
    )
    routes.post(
      '/l/:secret',
      {
        ...withoutKey(deps),
        onSend,
        bodyLimit: BODY_BYTES_MAX,
        validatorCompiler: bodiesAreBytes,
        schema: { hide: true, params, querystring },
      },
      (request, reply) => open(deps, visit(request, reply)),
    )
  })
}

async function show(deps: Deps, visit: Visit): Promise<FastifyReply> {
  const found = await findLink(deps, visit.secret)
  if (found === null) return sendStop(deps, visit, { stop: 'unknown', found })
  const begun = await waitForBegun(deps, visit, found)
  if (begun !== null) return leadBack(deps, visit, found.link, begun)
  if (found.state !== 'open') return sendStop(deps, visit, { stop: found.state, found })
  return sendButton(deps, visit, found)
}

/** `notice`: why the button had no effect. */
async function sendButton(deps: Deps, visit: Visit, found: FoundLink, notice = ''): Promise<FastifyReply> {
  // Set before the button is pressed, so that a person whose response gets lost returns to the verification. Each page
  // gets a new secret, because people who share a browser must not know each other's.
  const { text: secret } = newSecret(deps.random, 'browser')
  setBrowserSecret(deps, visit, { verificationId: found.link.id, secret, seconds: SECRET_SECONDS })
  const words = WORDS[visit.language]
  const brand = await brandOfLink(deps, found)
  const { purpose } = found.link.request
  const title = words.title(brand.name)
  const texts = [purpose ?? '', words.text, notice].filter((text) => text !== '')
  const content = `<h1>${escapeHtml(title)}</h1>
${texts.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}
<form method="post" action="?lang=${visit.language}"><p><button class="button" type="submit">${escapeHtml(words.go)}</button></p></form>`
  // With the default policy, browsers would send `Origin: null` with the form.
  visit.reply.header('Referrer-Policy', 'strict-origin')
  return send(visit, { title, content, found, brand, status: 200 })
}

async function open(deps: Deps, visit: Visit): Promise<FastifyReply> {
  const { request, reply, secret, language } = visit
  // A form from another site is redirected to the page of the link, so that no other site can press the button.
  if (!isSameOrigin(deps, request)) return reply.redirect(`/l/${encodeURIComponent(secret)}?lang=${language}`, 303)
  const found = await findLink(deps, secret)
  if (found === null) return sendStop(deps, visit, { stop: 'unknown', found })
  const begun = await waitForBegun(deps, visit, found)
  if (begun !== null) return leadBack(deps, visit, found.link, begun)
  const kept = browserSecretOf(deps, request, found.link.id)
  // A browser without cookies could not use the verification, so it takes no use.
  if (kept === null)
    return found.state === 'open'
      ? sendButton(deps, visit, found, WORDS[language].cookies)
      : sendStop(deps, visit, { stop: found.state, found })
  const opened = await openLink(deps, { secret, found, browserSecret: kept }, async (link, principal, requestBytes) => {
    // In this order, a refused request costs other senders, links and tenants nothing.
    await spendOfLink(deps, request, link)
    await spendAsKey(deps, principal, requestBytes)
    await spendOfAllLinks(deps, link)
  })
  if (opened.outcome === 'stopped') {
    const other = await waitForBegun(deps, visit, found)
    if (other !== null) return leadBack(deps, visit, found.link, other)
    if (opened.retryAfterSeconds !== undefined) reply.header('Retry-After', opened.retryAfterSeconds)
    return sendStop(deps, visit, { stop: opened.stop, found: opened.stop === 'unknown' ? null : found })
  }
  const { verificationId, browserSecret, seconds } = opened
  setBrowserSecret(deps, { request, reply }, { verificationId, secret: browserSecret, seconds })
  clearBrowserSecret(deps, reply, found.link.id)
  return leadTo(visit, verificationId)
}

const WAIT_MS = 100
const WAITS_MAX = 20

/** If a person presses the button twice, both presses lead to one verification. null if the browser has begun none. */
async function waitForBegun(deps: Deps, { request }: Visit, found: FoundLink): Promise<string | null> {
  for (let waits = 0; waits < WAITS_MAX; waits += 1) {
    const begun = await findBegun(deps, found, allBrowserHashesOf(deps, request))
    if (begun === null || begun.isWritten) return begun?.id ?? null
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  }
  return null
}

/** If the response to the button got lost, the browser has the secret only under the link's name. */
function leadBack(deps: Deps, visit: Visit, link: Link, verificationId: string): FastifyReply {
  const { request, reply } = visit
  const secret = browserSecretOf(deps, request, link.id)
  if (secret !== null && browserSecretOf(deps, request, verificationId) === null) {
    setBrowserSecret(deps, visit, { verificationId, secret, seconds: SECRET_SECONDS })
    clearBrowserSecret(deps, reply, link.id)
  }
  return leadTo(visit, verificationId)
}

const leadTo = ({ reply, language }: Visit, verificationId: string) =>
  reply.redirect(`/verify/${verificationId}?lang=${language}`, 303)

/** Per /48, as for sign-ins. */
async function spendOfLink(deps: Deps, { ip }: FastifyRequest, { id, tenantId }: Link): Promise<void> {
  await spendOrReserve(deps, { name: 'link_address', key: addressBucket(ip, 48), budget: RATES.address }, null)
  await spendOrReserve(deps, { name: 'link', key: id, budget: RATES.link }, null)
  await spendOrReserve(deps, { name: 'link_tenant', key: tenantId, budget: RATES.tenant }, null)
}

async function spendOfAllLinks(deps: Deps, { tenantId }: Link): Promise<void> {
  await spendOrReserve(deps, { name: 'link_all', key: 'all', budget: RATES.all }, [
    { name: 'link_reserve', key: tenantId, budget: RATES.reserve.tenant },
    { name: 'link_reserve', key: 'all', budget: RATES.reserve.all },
  ])
}

/** Browsers send `Sec-Fetch-Site` or `Origin` with a form. A request with neither is refused. */
function isSameOrigin({ config }: Pick<Deps, 'config'>, { headers }: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  return site === undefined ? origin === new URL(config.baseUrl).origin : site === 'same-origin'
}

async function brandOfLink(deps: Deps, { link, merchant }: FoundLink): Promise<Brand> {
  return brandOf(await readBranding(deps, link), merchant, NO_LOGO_URLS)
}

async function sendStop(
  deps: Deps,
  visit: Visit,
  { stop, found }: { readonly stop: LinkStop; readonly found: FoundLink | null },
): Promise<FastifyReply> {
  const { language } = visit
  const brand = found === null ? null : await brandOfLink(deps, found)
  const { title, text } = WORDS[language].stops[stop]
  const from = found === null || stop !== 'scheduled' ? '' : `<p><strong>${timeOf(language, found.link)}</strong></p>`
  const content = `<div class="state declined"><span class="mark" aria-hidden="true"></span><h1 class="outcome">${escapeHtml(title)}</h1>${from}<p>${escapeHtml(text(brand?.name ?? null))}</p></div>`
  return send(visit, { title, content, found, brand, status: STATUSES[stop] })
}

const timeOf = (language: Language, { startsAt }: Link) =>
  `${escapeHtml(new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(startsAt)))} UTC`

interface Shown {
  readonly title: string
  /** HTML. */
  readonly content: string
  readonly found: FoundLink | null
  readonly brand: Brand | null
  readonly status: number
}

function send({ reply, assets, language }: Visit, { title, content, found, brand, status }: Shown) {
  const words = PAGE_WORDS[language]
  const ribbon = found?.link.environment === 'test' ? `<header class="ribbon">${escapeHtml(words.test)}</header>` : ''
  const links = brand === null ? '' : brandLinks(brand, words)
  const body = `${ribbon}
<main class="card">
${brand === null ? '' : brandPart(brand)}
${content}
</main>
<footer>${links === '' ? '' : `<p>${links}</p>`}${languageLinks(words, language)}</footer>`
  return sendPage(reply, assets, { language, title, body, status, styles: brand?.styles ?? [] })
}
