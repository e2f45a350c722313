// The last seconds of a process: whoever still sends requests here is served and told to go elsewhere. Proxies learn that it stops
// from /readyz and from `Connection: close`, and a connection is only closed once nobody has used any for a while: a request that
// meets a closing connection is lost.

import type { App } from '../app.ts'
import { DRAIN } from './limits.ts'

/** Adds `app.draining`; `begin` resolves when the listener may be closed. */
export function addDraining(app: App): void {
  let isDraining = false
  let quietLooks = 0
  app.addHook('onRequest', (request, _reply, done) => {
    // Whoever only asks how it fares, or whether to send requests here, sends none.
    if (request.routeOptions.config.access?.kind !== 'operator') quietLooks = 0
    done()
  })
  // At the end, so that requests which were under way already say it too.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining) reply.header('Connection', 'close')
    done(null, payload)
  })
  app.addHook('preClose', async () => {
    isDraining = true
  })
  app.decorate('draining', {
    hasBegun: () => isDraining,
    async begin() {
      isDraining = true
      quietLooks = 0
      let looks = 0
      await new Promise<void>((resolve) => {
        const looking = setInterval(() => {
          quietLooks += 1
          looks += 1
          if (quietLooks * DRAIN.lookMs < DRAIN.quietMs && looks * DRAIN.lookMs < DRAIN.mostMs) return
          clearInterval(looking)
          resolve()
        }, DRAIN.lookMs)
      })
    },
  })
}
