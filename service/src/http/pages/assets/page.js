// The hosted verification page: counts down, asks how it stands, and shows the answer. Without it the page still works by reloading.

// A wallet may come back here with a response code. It is the merchant's: nobody needs it in this browser's history or in a copied link.
if (location.hash.includes('response_code=')) history.replaceState(null, '', location.pathname + location.search)

const page = document.querySelector('[data-verification]')
if (page !== null && page.dataset.state === 'pending') watch(page)

function watch(page) {
  // The service's clock counts, not this machine's.
  const offset = Number(page.dataset.now) - Date.now()
  const end = Number(page.dataset.expires)
  const countdown = page.querySelector('[data-countdown]')
  const tick = () => {
    const left = Math.max(0, Math.ceil((end - Date.now() - offset) / 1000))
    // With names: "4:59" could be a time of day.
    const text = left < 60 ? `${left} s` : `${Math.floor(left / 60)} min ${left % 60} s`
    if (countdown.textContent !== text) countdown.textContent = text
  }
  tick()
  const timer = setInterval(tick, 250)
  ask(page, 1500).then((state) => {
    clearInterval(timer)
    show(page, state)
  })
}

/** Asks until it is no longer pending; more seldom while nobody looks or the network is away. */
async function ask(page, pause) {
  for (let wait = pause; ; ) {
    await new Promise((resolve) => setTimeout(resolve, wait))
    wait = document.hidden ? pause * 4 : pause
    try {
      const answer = await fetch(`/v1/verifications/${page.dataset.verification}/status`, { cache: 'no-store' })
      if (answer.status === 404) return 'expired'
      if (answer.ok) {
        const { status } = await answer.json()
        if (status !== 'pending') return status
      } else wait = pause * 4
    } catch {
      wait = pause * 4
    }
  }
}

function show(page, state) {
  page.dataset.state = state
  for (const part of page.querySelectorAll('[data-while]')) part.hidden = part.dataset.while !== state
  for (const part of page.querySelectorAll('[data-show]')) part.hidden = part.dataset.show !== state
}
