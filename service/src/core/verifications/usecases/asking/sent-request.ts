// Finds the request that the wallet answered, by the channel of the answer.

import type { Deps } from '../../../../deps.ts'
import { instantOf } from '../../../../platform/world.ts'
import { type AnswerChannel, channelOf } from '../../../channels/table.ts'
import { keepServedRequest, openServedRequests } from '../../store/served-requests.ts'
import { ageLinkOf } from './age-link.ts'
import type { WalletVerification } from './wallet-verification.ts'

/**
 * null: the request was not kept. The age link is not stored, because it is the same each time. `clientId`: set if the
 * request had another client id than the verification.
 */
export function findAnsweredRequest(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  verification: WalletVerification,
  { channelName, clientId }: { readonly channelName: AnswerChannel; readonly clientId?: string },
): string | null {
  const { asks } = channelOf(channelName)
  if (asks === 'age_request') return ageLinkOf(config, verification)?.uri ?? null
  return servedFirst(db, verification, clientId === undefined ? asks : 'other_request_object')
}

type Served = Exclude<ReturnType<typeof channelOf>['asks'], 'age_request'> | 'other_request_object'

/** The first request of this kind, because evidence keeps one line for each kind; null if none was sent. */
function servedFirst(db: Deps['db'], verification: WalletVerification, kind: Served): string | null {
  const line = openServedRequests(db, verification).find((one) => one.startsWith(BEGINNING[kind]))
  return line === undefined ? null : line.slice(MARK[kind].length)
}

/** How each kind of line begins: an offer is JSON, a request object is a JWS, marked if its client id differs. */
const BEGINNING: Readonly<Record<Served, string>> = { offer: '{', request_object: 'e', other_request_object: '~' }
const MARK: Readonly<Record<Served, string>> = { offer: '', request_object: '', other_request_object: '~' }

/** Keeps the first request of each kind if a contribution needs it. Later fetches write nothing. */
export async function keepServed(
  deps: Pick<Deps, 'db' | 'endings' | 'clock'>,
  verification: WalletVerification,
  served: { readonly kind: Served; readonly text: string },
): Promise<void> {
  if (!deps.endings.keepsRequest(verification) || servedFirst(deps.db, verification, served.kind) !== null) return
  const [text, now] = [`${MARK[served.kind]}${served.text}`, instantOf(deps.clock.now())]
  await deps.db.transaction((tx) => keepServedRequest(tx, verification, text, now))
}
