// Follows the progress of a verification by an event stream; without a stream, polls at random intervals.

const PAUSE = 1500
const PAUSE_MAX = 5000
const GROWTH = 1.25
/** A proxy may hold events back. After this long without an event, the page polls. */
const PATIENCE = 6000
/** The service sends a heartbeat every 25 seconds. */
const SILENCE = 60_000

/** Calls `onStep` with each step, until `ended`. */
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
    // The service has refused the stream, because there are too many. Browsers reconnect a lost stream by themselves.
    if (events.readyState !== EventSource.CLOSED) return
    clearTimeout(patience)
    giveUp()
  }
}

/** Polls less and less often, and even more rarely while the page is hidden or offline. */
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
