// In the browser: waits for the answer, or submits the code of the returning wallet.

import './vidimus/element.ts'

const returning = document.querySelector('[data-returning]')
if (returning !== null) {
  const code = new URLSearchParams(location.hash.slice(1)).get('response_code')
  // The code works once, so it need not stay in the history.
  history.replaceState(null, '', location.pathname)
  if (code !== null) await fetch('/checkout/redeem', { method: 'POST', body: code })
  location.replace('/checkout')
}

addEventListener('vidimus-status', async ({ detail }) => {
  if (detail.status === 'pending') return
  await fetch('/checkout/check', { method: 'POST' })
  location.reload()
})
