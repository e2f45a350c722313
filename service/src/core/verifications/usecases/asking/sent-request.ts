// What was sent to the wallet that answered: of the ways that it could be asked by, the one that its answer came by.

import type { Channel } from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { makesEvidence } from '../../../../features/evidence/domain/bundle.ts'
import { keepRequestObject } from '../../store/asked.ts'
import { ageLinkOf } from './age-link.ts'
import type { AskedVerification } from './asked-verification.ts'

/** The link for an age is answered as a redirect is, but nothing is fetched from us before. */
export type Way = Channel['kind'] | 'age_link'

/** null: it was not kept. The link for an age needs no keeping: it is the same whenever it is made. */
export function sentBy({ config }: Pick<Deps, 'config'>, asked: AskedVerification, way: Way): string | null {
  return way === 'age_link' ? (ageLinkOf(config, asked)?.uri ?? null) : servedFirst(asked, way)
}

/** As evidence keeps it: of each way the first, in a line of its own; an offer to a browser is JSON, a request object a JWS. null: none. */
function servedFirst({ requestObject }: AskedVerification, channel: Channel['kind']): string | null {
  const isOffer = channel !== 'redirect'
  return requestObject?.split('\n').find((line) => line.startsWith('{') === isOffer) ?? null
}

/** Whoever answers must find what was asked: of each way the first is kept, where evidence is; nobody else's fetch writes again. */
export async function keepServed(
  deps: Pick<Deps, 'db' | 'config'>,
  asked: AskedVerification,
  served: { readonly channel: Channel['kind']; readonly text: string },
): Promise<void> {
  if (!makesEvidence(asked, deps.config.forwardOnly) || servedFirst(asked, served.channel) !== null) return
  await keepRequestObject(deps.db, asked, { id: asked.id, text: served.text })
}
