// Checks whether webhooks may go to an address: when it is set, and again at each delivery.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { checkTarget } from '../../../platform/egress/target.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Environment } from '../../../platform/world.ts'
import { admitPlainHttpWebhook } from './watch-plain-http.ts'

/** Spec 4.1: refuses now whatever can be detected now. A name that does not resolve is checked again at each delivery. */
export async function checkWebhookUrl(
  deps: Pick<Deps, 'db' | 'clock' | 'egress'>,
  realm: Realm,
  url: string,
): Promise<void> {
  await checkWebhookTarget(deps, realm.environment, url)
  if (isLiveInClear(realm.environment, url)) await admitPlainHttpWebhook(deps, realm.tenantId)
}

/** Checks the rules that no tenant can change. */
export async function checkWebhookTarget(
  deps: Pick<Deps, 'egress'>,
  environment: Environment,
  url: string,
): Promise<void> {
  const verdict = await checkTarget(deps.egress[environment], url)
  if (verdict.outcome === 'refused')
    throw new Refusal('invalid_webhook_url', isOwnMachine(url) ? { message: LISTEN_INSTEAD } : {})
}

/** Whether this is a live webhook over plain http, which a tenant's setting can refuse. */
export const isLiveInClear = (environment: Environment, url: string) =>
  environment === 'live' && URL.parse(url)?.protocol !== 'https:'

/** A loopback address, which a developer enters to get events on their own machine. */
const isOwnMachine = (url: string) =>
  /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(URL.parse(url)?.hostname ?? '')
const LISTEN_INSTEAD =
  'The webhook address must be a public http or https address. To get the events of the test environment on your own machine, leave it out and run `vidimus listen`.'
