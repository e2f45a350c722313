// Charges each address for its requests, on every route and on unknown ones.

import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../errors.ts'
import { isTrustedProxy, senderOf } from '../address.ts'
import type { App } from '../app.ts'
import { OPERATOR_BUDGET } from './limits.ts'
import { createMeter } from './meter.ts'

/** A trusted proxy names the address of the client. The proxy's own probes cost nothing. */
export function addAddressBudget(app: App, deps: Pick<Deps, 'config' | 'clock' | 'metrics'>): void {
  const everything = createMeter(deps.config.rates.address)
  const operators = createMeter(OPERATOR_BUDGET)
  app.addHook('onRequest', (request, reply, done) => {
    const isOperators = request.routeOptions.config.access?.kind === 'operator'
    if (isOperators && isTrustedProxy(deps, request.ip)) return done()
    const meter = isOperators ? operators : everything
    const { allowed, retryAfterSeconds } = meter.spend(senderOf(request.ip), deps.clock.now())
    if (allowed) return done()
    deps.metrics.rateLimited.inc({ budget: isOperators ? 'operator' : 'address' })
    // A client that continues needs a new connection for each refusal, which costs the client more than us.
    reply.header('Connection', 'close')
    done(new Refusal('rate_limit_exceeded', { retryAfterSeconds }))
  })
}
