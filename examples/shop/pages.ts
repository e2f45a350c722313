// The shop's pages and files. The web component is the SDK's own and the modules it is made of, with their types stripped.

import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { needsAge, type Order, totalOf, type Visitor } from './orders.ts'
import { PRODUCTS, type Product } from './products.ts'

export type Files = Readonly<Record<string, { readonly type: string; readonly text: string }>>

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
    '/shop.css': { type: 'text/css', text: await own('shop.css') },
    '/checkout.js': { type: 'text/javascript', text: await own('checkout.js') },
    ...(await modulesFrom(dirname(element), basename(element))),
  }
}

/** A module and all that it imports, under `/vidimus/` and the names they import each other by. */
async function modulesFrom(folder: string, name: string, known: Files = {}): Promise<Files> {
  const path = `/vidimus/${name}`
  if (path in known) return known
  const text = stripTypeScriptTypes(await readFile(join(folder, name), 'utf8'))
  let files: Files = { ...known, [path]: { type: 'text/javascript', text } }
  for (const [, imported = ''] of text.matchAll(/from '(\.{1,2}\/[\w./-]+)'/g))
    files = await modulesFrom(folder, join(dirname(name), imported), files)
  return files
}

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
    { title: 'Good wine, honestly sold', visitor, site },
    `<p class="lead">Wine only for adults, and without typing your birthday anywhere: your wallet says “18 or older”, not when you were born.</p>
<ul class="products">${cards.join('\n')}</ul>`,
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
    ? '<p class="note">There is wine in your basket: at the checkout your wallet confirms that you are 18 or older.</p>'
    : ''
  return page(
    { title: 'Your basket', visitor, site },
    `<ul class="lines">${rows.join('\n')}</ul>
<p class="total">Total <strong>${money(totalOf(basket))}</strong></p>
${age}
<form method="post" action="/checkout">
<fieldset><legend>How do you want to pay?</legend>
<label><input type="radio" name="payment" value="invoice" checked> By invoice</label>
<label><input type="radio" name="payment" value="wallet"> Now, with the card in your wallet</label></fieldset>
<button>Check out</button></form>`,
  )
}

const TO_SHOP = '<p><a class="button" href="/">Back to the shop</a></p>'
const WAYS_ON = {
  waiting: TO_SHOP,
  sold: TO_SHOP,
  refused: '<p><a class="button" href="/basket">Try again</a></p>',
} as const
const TITLES = { waiting: 'One more step', sold: 'Thank you!', refused: 'Sorry, that did not work' } as const

export function checkoutPage(visitor: Visitor, order: Order, site: Site): string {
  const title = TITLES[order.state]
  const total = money(totalOf(order.items))
  const state = `<p id="state" role="status" data-state="${order.state}">${wordsOf(order)}</p>`
  const next = WAYS_ON[order.state]
  if (order.state === 'waiting') {
    const summary = `<p class="summary">${order.items.length} ${order.items.length === 1 ? 'item' : 'items'} · <strong>${total}</strong></p>`
    const rest = order.verification === null ? next : verifyPart(order.verification, site)
    return page({ title, visitor, site }, `<div class="checkout">${summary}\n${state}\n${rest}</div>`)
  }
  const receipt = order.state === 'sold' ? receiptPart(order, total) : ''
  return page({ title, visitor, site }, `<div class="checkout end">${state}\n${receipt}\n${next}</div>`)
}

function receiptPart({ number, items, payment, verification }: Order, total: string): string {
  const lines = items.map(
    (product) =>
      `<li>${picture(product)}<span>${escapeHtml(product.name)}</span><span class="price">${money(product.price)}</span></li>`,
  )
  const age =
    verification !== null && needsAge(items)
      ? `<div><dt>Age</dt><dd>18 or older, confirmed by your wallet. We did not receive your date of birth.</dd></div>`
      : ''
  return `<ul class="lines">${lines.join('\n')}</ul>
<p class="total">Total <strong>${total}</strong></p>
<dl><div><dt>Order</dt><dd>${number}</dd></div>
<div><dt>Payment</dt><dd>${payment === 'wallet' ? 'Paid with the card in your wallet' : 'By invoice'}</dd></div>
${age}</dl>`
}

function wordsOf({ state, refusal }: Order): string {
  if (state === 'sold') return 'Your order is on its way.'
  if (state === 'refused') return `${refusal ?? ''} Nothing was ordered, and your basket is still there.`
  return 'Your wallet answers for you. There is no form to fill in.'
}

function verifyPart({ id, walletUri }: NonNullable<Order['verification']>, { vidimusUrl, apiKey }: Site): string {
  const verify = `<vidimus-verify base-url="${escapeHtml(vidimusUrl)}" verification="${escapeHtml(id)}" wallet-uri="${escapeHtml(walletUri)}"></vidimus-verify>`
  return apiKey.startsWith('vk_test_') ? `${verify}\n${testWalletLink(walletUri, vidimusUrl)}` : verify
}

/** For people who try the shop without a wallet. This page notices the answer by itself. */
function testWalletLink(walletUri: string, vidimusUrl: string): string {
  const address = `${vidimusUrl}/sandbox/wallet?uri=${encodeURIComponent(walletUri)}`
  return `<p class="test"><a href="${escapeHtml(address)}" target="_blank" rel="noreferrer">Test: answer with the test wallet</a></p>`
}

/** Where the wallet brings the browser back to; the script hands the code in and moves on. */
export const returnPage = (visitor: Visitor, site: Site): string =>
  page(
    { title: 'One moment…', visitor, site },
    '<p id="state" role="status" data-returning>We read what your wallet said.</p>',
  )

interface Frame {
  readonly title: string
  readonly visitor: Visitor
  readonly site: Site
}

function page({ title, visitor, site }: Frame, body: string): string {
  const signIn = site.signIn === null ? '' : '<a href="/sign-in">Sign in with your wallet</a>'
  const account = visitor.name === null ? signIn : `<span class="hello">Hello, ${escapeHtml(visitor.name)}</span>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Sonnenhof Wines</title>
<link rel="stylesheet" href="/shop.css">
<script type="module" src="/checkout.js"></script>
</head>
<body>
<header><a class="brand" href="/">Sonnenhof Wines</a><nav aria-label="Shop">${account}<a href="/basket">Basket (${visitor.basket.length})</a></nav></header>
<main><h1>${escapeHtml(title)}</h1>
${body}
</main>
<footer><form method="post" action="/till"><button class="quiet">Open the till for the counter</button></form></footer>
</body>
</html>
`
}

const picture = ({ drawing }: Product) => `<svg viewBox="0 0 120 120" aria-hidden="true">${drawing}</svg>`

const money = (cents: number) => new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' }).format(cents / 100)

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
