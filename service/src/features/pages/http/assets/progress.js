// Follows how it goes on: by a stream of events, and where there is none by asking now and then, never at the same moment as others.

const PAUSE = 1500
const PAUSE_MAX = 5000
const GROWTH = 1.25
/** Something between here and the service may hold events back: after this long without one, asking is surer. */
const PATIENCE = 6000
/** The service gives a sign of life every 25 seconds. */
const SILENCE = 60_000

/** Calls back with each step, until `ended`. */
export function follow(address, ended, onStep) {
  if (typeof EventSource === 'undefined') return void ask(address, ended, onStep)
  const events = new EventSource(`${address}/events`)
  const giveUp = () => {
    events.close()
    if (!ended.aborted) ask(address, ended, onStep)
  }
  let patience = setTimeout(giveUp, PATIENCE)
  const alive = () => {
    clearTimeout(patience)
    patience = setTimeout(giveUp, SILENCE)
  }
  ended.addEventListener('abort', () => {
    clearTimeout(patience)
    events.close()
  })
  events.addEventListener('beat', alive)
  events.onmessage = ({ data }) => {
    alive()
    onStep(data)
  }
  events.onerror = () => {
    // Refused: there are too many already. A connection that was lost the browser takes up again by itself.
    if (events.readyState !== EventSource.CLOSED) return
    clearTimeout(patience)
    giveUp()
  }
}

/** Less and less often; more seldom still while nobody looks or the network is away. */
async function ask(address, ended, onStep) {
  for (let wait = PAUSE, usual = PAUSE; !ended.aborted; ) {
    await pause(wait * (0.75 + Math.random() / 2))
    usual = Math.min(PAUSE_MAX, usual * GROWTH)
    wait = document.hidden ? PAUSE * 4 : usual
    try {
      const answer = await fetch(`${address}/progress`, { cache: 'no-store' })
      if (answer.status === 404) onStep('expired')
      else if (answer.ok) onStep((await answer.json()).step)
      else wait = PAUSE * 4
    } catch {
      wait = PAUSE * 4
    }
  }
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
