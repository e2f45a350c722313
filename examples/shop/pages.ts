// The shop's pages and files. The web component is the SDK's own and the modules it is made of, with their types stripped.

import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Order } from './orders.ts'

export type Files = Readonly<Record<string, { readonly type: string; readonly text: string }>>

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
  for (const [, imported = ''] of text.matchAll(/from '\.\/([\w.-]+)'/g))
    files = await modulesFrom(folder, imported, files)
  return files
}

export function frontPage(): string {
  return page(`<p>A bottle of red, 9.90</p>
<p>We may sell it to you if you are 18 or older. Your wallet can tell us so, and nothing else.</p>
<form method="post" action="/checkout"><button>Buy</button></form>`)
}

const WORDS = {
  waiting: 'Please show that you are 18 or older.',
  sold: 'Thank you! The bottle is yours.',
  refused: 'Sorry, we cannot sell you this.',
} as const

export function checkoutPage(
  order: Order,
  { vidimusUrl, apiKey }: { readonly vidimusUrl: string; readonly apiKey: string },
): string {
  const verify = `<vidimus-verify base-url="${escapeHtml(vidimusUrl)}" verification="${escapeHtml(order.verificationId)}" wallet-uri="${escapeHtml(order.walletUri)}"></vidimus-verify>`
  const element =
    order.state === 'waiting'
      ? `${verify}\n${apiKey.startsWith('vk_test_') ? testWalletLink(order, vidimusUrl) : ''}`
      : '<p><a href="/">Back to the shop</a></p>'
  return page(`<p id="state" role="status" data-state="${order.state}">${WORDS[order.state]}</p>\n${element}`)
}

/** For readers who try the shop without a wallet. This page notices the answer automatically. */
function testWalletLink({ walletUri }: Order, vidimusUrl: string): string {
  const address = `${vidimusUrl}/sandbox/wallet?uri=${encodeURIComponent(walletUri)}`
  return `<p class="test"><a href="${escapeHtml(address)}" target="_blank" rel="noreferrer">Test: answer with the test wallet</a></p>`
}

/** Where the wallet brings the browser back to; the script hands the code in and moves on. */
export function returnPage(): string {
  return page('<p id="state" role="status" data-returning>One moment…</p>')
}

function page(body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<title>Wine shop</title>
<link rel="stylesheet" href="/shop.css">
<script type="module" src="/checkout.js"></script>
</head>
<body><main><h1>Wine shop</h1>
${body}
</main></body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
