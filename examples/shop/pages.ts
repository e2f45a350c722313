// The shop's pages and files. The web component is the SDK's own, with its modules, from which the types are stripped.

import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { needsAge, type Order, totalOf, type Visitor } from './orders.ts'
import { PRODUCTS, type Product } from './products.ts'

export type Files = Readonly<Record<string, { readonly type: string; readonly content: string | Buffer }>>

/** What pages need to know of the shop. */
interface Site {
  readonly vidimusUrl: string
  readonly apiKey: string
  readonly signIn: unknown
}

export async function loadFiles(): Promise<Files> {
  const own = (name: string) => readFile(join(import.meta.dirname, name), 'utf8')
  const element = fileURLToPath(import.meta.resolve('@vidimus/sdk/element'))
  return {
    '/shop.css': { type: 'text/css', content: await own('shop.css') },
    '/fonts.css': { type: 'text/css', content: await own('fonts.css') },
    '/checkout.js': { type: 'text/javascript', content: await own('checkout.js') },
    '/inter.woff2': await font('inter'),
    '/source-serif.woff2': await font('source-serif-4'),
    ...(await modulesFrom(dirname(element), basename(element))),
  }
}

/** Open fonts under the SIL Open Font License, from npm. */
async function font(name: string): Promise<Files[string]> {
  const path = `@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`
  return { type: 'font/woff2', content: await readFile(fileURLToPath(import.meta.resolve(path))) }
}

/** Collects a module and all its imports, under `/vidimus/` and the names by which they import each other. */
async function modulesFrom(folder: string, name: string, known: Files = {}): Promise<Files> {
  const path = `/vidimus/${name}`
  if (path in known) return known
  const text = stripTypeScriptTypes(await readFile(join(folder, name), 'utf8'))
  let files: Files = { ...known, [path]: { type: 'text/javascript', content: text } }
  for (const [, imported = ''] of text.matchAll(/from '(\.{1,2}\/[\w./-]+)'/g))
    files = await modulesFrom(folder, join(dirname(name), imported), files)
  return files
}

const LEAD = 'We sell wine to adults only. Your wallet confirms that you are 18 or older, without your date of birth.'

export function frontPage(visitor: Visitor, site: Site): string {
  const cards = PRODUCTS.map(
    (product) => `<li class="product">
${picture(product)}
<h2>${escapeHtml(product.name)}</h2>
<p>${escapeHtml(product.about)}</p>
<p class="price">${money(product.price)}${product.adult ? ' <span class="adult">18+</span>' : ''}</p>
<form method="post" action="/basket"><button name="add" value="${product.id}" aria-label="Add to basket: ${escapeHtml(product.name)}">Add to basket</button></form>
</li>`,
  )
  return page(
    { title: 'Good wine, honestly sold', lead: LEAD, visitor, site },
    `<ul class="products">${cards.join('\n')}</ul>`,
  )
}

export function basketPage(visitor: Visitor, site: Site): string {
  const { basket } = visitor
  if (basket.length === 0)
    return page(
      { title: 'Your basket', visitor, site },
      '<p>It is empty.</p>\n<p><a class="button" href="/">Choose something</a></p>',
    )
  const rows = basket.map(
    (
      product,
    ) => `<li>${picture(product)}<span>${escapeHtml(product.name)}</span><span class="price">${money(product.price)}</span>
<form method="post" action="/basket"><button class="quiet" name="remove" value="${product.id}" aria-label="Remove: ${escapeHtml(product.name)}">Remove</button></form></li>`,
  )
  const age = needsAge(basket)
    ? '<p class="note">Your basket contains wine. At the checkout your wallet confirms that you are 18 or older.</p>'
    : ''
  return page(
    { title: 'Your basket', visitor, site },
    `<div class="sides"><ul class="lines">${rows.join('\n')}</ul>
<div class="panel"><p class="total">Total <strong>${money(totalOf(basket))}</strong></p>
<form method="post" action="/checkout">
<fieldset><legend>How do you want to pay?</legend>
<label><input type="radio" name="payment" value="invoice" checked><span>By invoice</span></label>
<label><input type="radio" name="payment" value="wallet"><span>Now, with the card in your wallet</span></label></fieldset>
<button>Check out</button></form>
${age}</div></div>`,
  )
}

const TO_SHOP = '<p><a class="button" href="/">Back to the shop</a></p>'
const WAYS_ON = {
  waiting: TO_SHOP,
  sold: TO_SHOP,
  refused: '<p><a class="button" href="/basket">Back to your basket</a></p>',
} as const
const TITLES = { waiting: 'One more step', sold: 'Order received', refused: 'Nothing was ordered' } as const

export function checkoutPage(visitor: Visitor, order: Order, site: Site): string {
  const { state, verification } = order
  const next = state === 'waiting' && verification !== null ? verifyPart(verification, site) : WAYS_ON[state]
  return page(
    { title: TITLES[state], visitor, site },
    `<div class="sides checkout"><div><p id="state" role="status" data-state="${state}">${wordsOf(order)}</p>
${state === 'sold' ? receiptPart(order) : ''}${next}</div>
<div class="panel">${linesPart(order.items)}</div></div>`,
  )
}

function linesPart(items: readonly Product[]): string {
  const lines = items.map(
    (product) =>
      `<li>${picture(product)}<span>${escapeHtml(product.name)}</span><span class="price">${money(product.price)}</span></li>`,
  )
  return `<ul class="lines">${lines.join('\n')}</ul>
<p class="total">Total <strong>${money(totalOf(items))}</strong></p>`
}

function receiptPart({ number, items, payment, verification }: Order): string {
  const age =
    verification !== null && needsAge(items)
      ? `<div><dt>Age</dt><dd>18 or older, confirmed by your wallet. We did not receive your date of birth.</dd></div>`
      : ''
  return `<dl><div><dt>Order</dt><dd>${number}</dd></div>
<div><dt>Payment</dt><dd>${payment === 'wallet' ? 'Paid with the card in your wallet' : 'By invoice'}</dd></div>
${age}</dl>`
}

function wordsOf(order: Order): string {
  const { state, refusal } = order
  if (state === 'sold') return 'Thank you! Your order is confirmed.'
  if (state === 'refused') return `${refusal ?? ''} Your basket is still there.${acceptedIds(order)}`
  return 'Your wallet answers for you. There is no form to fill in.'
}

const acceptedIds = ({ items, payment }: Order) =>
  payment === 'invoice' && needsAge(items)
    ? ' To buy wine you can use an EU proof of age, a mobile driving licence or a personal ID (PID).'
    : ''

function verifyPart({ id, walletUri }: NonNullable<Order['verification']>, { vidimusUrl, apiKey }: Site): string {
  const verify = `<vidimus-verify base-url="${escapeHtml(vidimusUrl)}" verification="${escapeHtml(id)}" wallet-uri="${escapeHtml(walletUri)}"></vidimus-verify>`
  return apiKey.startsWith('vk_test_') ? `${verify}\n${testWalletLink(walletUri, vidimusUrl)}` : verify
}

/** For people who try the shop without a wallet. This page shows the answer without a reload. */
function testWalletLink(walletUri: string, vidimusUrl: string): string {
  const address = `${vidimusUrl}/sandbox/wallet?uri=${encodeURIComponent(walletUri)}`
  return `<p class="test"><a href="${escapeHtml(address)}" target="_blank" rel="noreferrer">Test: answer with the test wallet</a></p>`
}

/** The wallet's redirect target; the script submits the code and continues. */
export const returnPage = (visitor: Visitor, site: Site): string =>
  page(
    { title: 'One moment…', visitor, site },
    '<p id="state" role="status" data-returning>We read what your wallet said.</p>',
  )

interface Frame {
  readonly title: string
  readonly lead?: string
  readonly visitor: Visitor
  readonly site: Site
}

function page({ title, lead, visitor, site }: Frame, body: string): string {
  const canSignIn = site.signIn !== null && visitor.name === null
  const signIn = canSignIn ? '<a href="/sign-in">Sign in with your wallet</a>' : ''
  const hello = visitor.name === null ? '' : `<span>Hello, ${escapeHtml(visitor.name)}</span>`
  const heading = `<h1>${escapeHtml(title)}</h1>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Sonnenhof Wines</title>
<link rel="stylesheet" href="/fonts.css">
<link rel="stylesheet" href="/shop.css">
<script type="module" src="/checkout.js"></script>
</head>
<body>
<header><a class="brand" href="/">Sonnenhof Wines</a><nav aria-label="Shop">${hello}${signIn}<a href="/basket">${BASKET}Basket (${visitor.basket.length})</a></nav></header>
<main>${lead === undefined ? heading : `<div class="band"><div>${heading}<p class="lead">${lead}</p></div>${VINEYARD}</div>`}
${body}
</main>
<footer><p>Sonnenhof Wines is an example shop: it sells and ships nothing.</p>
<div class="demos"><form method="post" action="/till"><button class="quiet">Open the till for the counter</button></form>
<a href="${escapeHtml(site.vidimusUrl)}/docs">Documentation</a></div></footer>
</body>
</html>
`
}

const BASKET =
  '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 9h16l-2 11H6zM8 9l4-6 4 6" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round"/></svg>'
const VINEYARD =
  '<svg viewBox="0 0 300 140" preserveAspectRatio="xMaxYMax slice" aria-hidden="true"><circle cx="215" cy="46" r="24" fill="#e3b15b"/><path d="M0 140Q90 60 170 76t130-30v94z" fill="#a9b27a"/><path d="M40 140q60-70 150-52t110-26v78z" fill="#6f8b4a"/><path d="M90 140q46-26 56-42M140 140q34-18 40-42M190 140q26-18 32-38M240 140q16-18 22-38" fill="none" stroke="#4f6a34" stroke-width="5" stroke-linecap="round" stroke-dasharray="1 10"/></svg>'

const picture = ({ drawing }: Product) => `<svg viewBox="0 0 120 120" aria-hidden="true">${drawing}</svg>`

const money = (cents: number) => new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' }).format(cents / 100)

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
