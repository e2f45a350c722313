// Reads what a customer screen shows: the shop, and the till's pending request. Never an outcome or personal data.

import { builtInTemplate } from '../../../core/templates/domain/question.ts'
import { listTitles } from '../../../core/templates/store/templates.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { openTransaction } from '../../../core/transactions/store/sealed.ts'
import { requestUriOf, statusAt, walletUriOf } from '../../../core/verifications/domain/verification.ts'
import { findWalletVerification } from '../../../core/verifications/store/wallet-verifications.ts'
import type { Deps } from '../../../deps.ts'
import type { BatchJob } from '../../../platform/event-loop/batch.ts'
import { instantOf } from '../../../platform/world.ts'
import { DISPLAY_NOTED_EVERY_MS, displayCodeOf, hashDisplayToken, isLapsed } from '../domain/display.ts'
import { loadShownTillsAcrossTenants, noteDisplay, type Screen, type Shop, type ShownTill } from '../store/displays.ts'

export type Scene =
  /** The code was not entered, or the till does not have it any more. */
  | { readonly kind: 'unconnected' }
  | ({ readonly kind: 'welcome' } & Counter)
  | ({
      readonly kind: 'code'
      /** null if the request has no template. */
      readonly question: {
        readonly template: string
        /** The title of the tenant's own template; null for a built-in one, which the screen names in its language. */
        readonly title: string | null
      } | null
      readonly walletUri: string
      /** The transaction as sent to the wallet. */
      readonly agreed: readonly { readonly type: string; readonly data: string }[]
    } & Counter)

/** The till's environment and shop. */
interface Counter {
  readonly test: boolean
  readonly shop: Shop
  readonly realm: Realm
}

type Needs = Pick<Deps, 'db' | 'batcher' | 'clock' | 'config'>

/** One statement serves all screens that poll at the same time. */
const SHOWN: BatchJob<Pick<Deps, 'db' | 'clock'>, Screen, ShownTill | null> = {
  itemsMax: 64,
  async run({ db, clock }, screens) {
    const found = await loadShownTillsAcrossTenants(db, screens, clock.now())
    const byHash = new Map(found.map((one) => [Buffer.from(one.tokenHash).toString('hex'), one]))
    return screens.map(({ tokenHash }) => byHash.get(Buffer.from(tokenHash).toString('hex')) ?? null)
  },
}

export async function readScene(deps: Needs, token: string): Promise<Scene> {
  const tokenHash = hashDisplayToken(token)
  const screen = { code: displayCodeOf(tokenHash), tokenHash }
  const till = await deps.batcher.add(SHOWN, deps, { lane: 'all', item: screen })
  if (till === null || !(await isStillConnected(deps, till, screen))) return { kind: 'unconnected' }
  const { tenantId, environment, shop } = till
  const counter: Counter = { test: environment === 'test', shop, realm: { tenantId, environment } }
  const verification = till.verificationId === null ? null : await findWalletVerification(deps, till.verificationId)
  if (verification === null || statusAt(verification, deps.clock.now()) !== 'pending')
    return { kind: 'welcome', ...counter }
  return {
    kind: 'code',
    ...counter,
    question: verification.template === null ? null : await readQuestion(deps, till, verification.template),
    walletUri: walletUriOf(verification.clientId, requestUriOf(deps.config.baseUrl, verification.id)),
    agreed: openTransaction(deps.db, verification).map(({ type, text }) => ({ type, data: text })),
  }
}

async function readQuestion(deps: Needs, till: ShownTill, template: string) {
  if (builtInTemplate(template) !== null) return { template, title: null }
  const [own] = await listTitles(deps.db, till, [template])
  return { template, title: own?.title ?? null }
}

async function isStillConnected(deps: Needs, till: ShownTill, screen: Screen): Promise<boolean> {
  const nowMs = deps.clock.now()
  if (isLapsed(till.display, nowMs)) return false
  const { isConnected, seenAtMs } = till.display
  if (isConnected && nowMs - seenAtMs < DISPLAY_NOTED_EVERY_MS) return true
  return noteDisplay(deps.db, till, screen, instantOf(nowMs))
}
