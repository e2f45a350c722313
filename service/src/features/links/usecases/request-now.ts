// Builds the request of a link's verifications, with the webhook address that applies now.

import type { VerificationRequest } from '../../../core/verifications/domain/request.ts'
import type { Deps } from '../../../deps.ts'
import { defaultWebhookUrl } from '../../webhooks/index.ts'
import { type Link, usesDefaultEndpoint } from '../domain/link.ts'

export async function requestNow(deps: Pick<Deps, 'db'>, link: Link): Promise<VerificationRequest> {
  const { keeps_webhook_url: _keeps, ...request } = link.request
  if (!usesDefaultEndpoint(link)) return request
  const { webhook_url: _old, ...rest } = request
  const url = await defaultWebhookUrl(deps, link)
  return url === null ? rest : { ...rest, webhook_url: url }
}
