// Finds the request that the wallet answered: the one of its answer's channel.

import type { Deps } from '../../../../deps.ts'
import { type AnswerChannel, channelOf } from '../../../channels/table.ts'
import { keepRequestObject } from '../../store/asked.ts'
import { ageLinkOf } from './age-link.ts'
import type { WalletVerification } from './asked-verification.ts'

/** null: it was not kept. The age link need not be kept: it is the same each time. */
export function sentBy({ config }: Pick<Deps, 'config'>, asked: WalletVerification, way: AnswerChannel): string | null {
  const { asks } = channelOf(way)
  return asks === 'age_request' ? (ageLinkOf(config, asked)?.uri ?? null) : servedFirst(asked, asks)
}

type Served = Exclude<ReturnType<typeof channelOf>['asks'], 'age_request'>

/**
 * As evidence keeps it: the first of each kind, in a line of its own; an offer to a browser is JSON, a request object a
 * JWS. null: none.
 */
function servedFirst({ requestObject }: WalletVerification, kind: Served): string | null {
  return requestObject?.split('\n').find((line) => line.startsWith('{') === IS_JSON[kind]) ?? null
}

const IS_JSON: Readonly<Record<Served, boolean>> = { offer: true, request_object: false }

/** If a contribution needs the request of an answer, the first of each kind is kept; later fetches write nothing. */
export async function keepServed(
  deps: Pick<Deps, 'db' | 'endings'>,
  asked: WalletVerification,
  served: { readonly kind: Served; readonly text: string },
): Promise<void> {
  if (!deps.endings.keepsRequest(asked) || servedFirst(asked, served.kind) !== null) return
  await keepRequestObject(deps.db, asked, { id: asked.id, text: served.text })
}
