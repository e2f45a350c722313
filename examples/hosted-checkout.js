// In the browser, for the shops in Python and PHP: asks the shop how it went, or hands in the code that the wallet brought back.

const returning = document.querySelector('[data-returning]')
if (returning !== null) {
  const code = new URLSearchParams(location.hash.slice(1)).get('response_code')
  // The code is spent by one use; it need not stay in the history for as long as that takes.
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
