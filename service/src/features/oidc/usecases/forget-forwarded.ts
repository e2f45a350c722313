// Forgets forwarded content once the client has its response: after a yes and after a no, so that the trail does not tell them apart.

import { type ForgettingNeeds, forgetContent } from '../../../core/verifications/usecases/forgetting/forget-content.ts'
import type { Deps } from '../../../deps.ts'
import type { OidcClient } from '../domain/client.ts'

type Needs = ForgettingNeeds & Pick<Deps, 'log'>

/** If the deletion fails now, the content is deleted when its retention ends. */
export async function forgetOrReport(deps: Needs, client: OidcClient, id: string): Promise<void> {
  try {
    const actor = { type: 'oidc_client', id: client.id } as const
    await forgetContent(deps, { realm: client, id, actor, keepsCopies: true })
  } catch (error) {
    deps.log.fault('content that a client has is not forgotten yet', error, { tenant: client.tenantId })
  }
}
