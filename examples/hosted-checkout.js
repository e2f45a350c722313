// In the browser, for the shops in Python and PHP: asks the shop for the outcome, or submits the code of the returning wallet.

const returning = document.querySelector('[data-returning]')
if (returning !== null) {
  const code = new URLSearchParams(location.hash.slice(1)).get('response_code')
  // The code works once, so it need not stay in the history.
  history.replaceState(null, '', location.pathname)
  if (code !== null) await fetch('/checkout/redeem', { method: 'POST', body: code })
  location.replace('/checkout')
}

if (document.querySelector('[data-state=waiting]') !== null) setTimeout(look, 1000)

async function look() {
  const answer = await fetch('/checkout/check', { method: 'POST' }).catch(() => null)
  const state = answer?.ok === true ? (await answer.json()).state : 'waiting'
  if (state === 'waiting') setTimeout(look, 2000)
  else location.reload()
}
