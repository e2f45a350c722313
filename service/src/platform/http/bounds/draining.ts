// Drains before a stop: requests are still served, while /readyz and `Connection: close` send clients elsewhere.

import type { App } from '../app.ts'
import { DRAIN } from './limits.ts'

/**
 * Adds `app.draining`. Its `begin` resolves when the listener may be closed. Connections close only after a quiet
 * period, because a request is lost if its connection is closing.
 */
export function addDraining(app: App): void {
  let isDraining = false
  let quietChecks = 0
  app.addHook('onRequest', (request, _reply, done) => {
    // Health and readiness probes are not traffic.
    if (request.routeOptions.config.access?.kind !== 'operator') quietChecks = 0
    done()
  })
  // In onSend, so that requests that were already in progress get the header too.
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
      quietChecks = 0
      let checks = 0
      await new Promise<void>((resolve) => {
        const timer = setInterval(() => {
          quietChecks += 1
          checks += 1
          if (quietChecks * DRAIN.checkMs < DRAIN.quietMs && checks * DRAIN.checkMs < DRAIN.mostMs) return
          clearInterval(timer)
          resolve()
        }, DRAIN.checkMs)
      })
    },
  })
}
