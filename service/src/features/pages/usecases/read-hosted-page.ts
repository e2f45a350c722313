// Reads what a holder sees before answering: merchant, request, reason and remaining time. Contains no personal data.

import type { DcqlQuery, WordedText } from '@vidimus/engine'
import { type DescribedQuery, describeQuery } from '../../../core/templates/domain/describe-query.ts'
import { type Outputs, readsBirthDateOnlyForAge } from '../../../core/templates/domain/outputs.ts'
import { openTransaction } from '../../../core/transactions/store/sealed.ts'
import { type Step, stepAt } from '../../../core/verifications/domain/progress.ts'
import { finishPathWithin } from '../../../core/verifications/domain/sign-in-path.ts'
import {
  askingOrigin,
  requestUriOf,
  sameDeviceUriOf,
  statusAt,
  type VerificationStatus,
  walletUriOf,
} from '../../../core/verifications/domain/verification.ts'
import { findWalletVerification } from '../../../core/verifications/store/wallet-verifications.ts'
import { ageAskingOf } from '../../../core/verifications/usecases/asking/age-link.ts'
import {
  bindingFacts,
  type WalletVerification,
} from '../../../core/verifications/usecases/asking/wallet-verification.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { type Environment, millisecondsOf } from '../../../platform/world.ts'
import { type EndReason, endReasonOf } from '../domain/end-reason.ts'
import { type ShownTransaction, shownOf } from '../domain/shown-transaction.ts'
import { readProgress } from './follow-progress.ts'

export type { ShownTransaction }

/** What the page shows of a request. */
export interface ShownQuestion {
  /** From the registration certificate of the request; null if there is none. */
  readonly registered: { readonly purposes: readonly WordedText[]; readonly privacyPolicy: string | null } | null
  /** Names of a template's outputs; null: the merchant receives what the wallet presents. */
  readonly outputs: readonly string[] | null
  /** What the wallet may present. */
  readonly question: DescribedQuery
  /** A birth date may be requested, but only to derive an age. */
  readonly birthDateOnlyForAge: boolean
}

export const AGREED_KINDS = ['payment', 'other'] as const
export type AgreedKind = (typeof AGREED_KINDS)[number]

export interface HostedVerification extends ShownQuestion {
  readonly id: string
  readonly status: VerificationStatus
  /** The step that the page shows. */
  readonly step: Step
  /**
   * Why the verification ended without a result, only for the browser that it is bound to. null: open, completed,
   * declined, or not disclosed.
   */
  readonly reason: EndReason | null
  readonly tenantId: string
  readonly environment: Environment
  /** The merchant, by the name of its tenant. */
  readonly merchant: string
  readonly purpose: string | null
  /** The transaction that the holder confirms, while the verification is open. After the end any browser may read the page. */
  readonly transaction: readonly ShownTransaction[]
  /** The kind of the transaction while the verification is open; null: no transaction. */
  readonly agreesTo: AgreedKind | null
  readonly expiresAtMs: number
  readonly nowMs: number
  /** For a QR code that another device scans. */
  readonly walletUri: string
  /** For the device that shows the page. */
  readonly sameDeviceUri: string
  /** For the EU age app; null if it may not be used. */
  readonly ageUri: string | null
  /** The origin of the page that may use the browser API. */
  readonly origin: string
  /** Whether `origin` is the hosted page's, not that of the merchant's own page. */
  readonly asksInBrowser: boolean
  /** Whether answers from other devices are accepted. */
  readonly takesOtherDevices: boolean
  /** Facts about the browser that the verification is bound to. */
  readonly browser: ReturnType<typeof bindingFacts>
  /** Where a sign-in continues after its end; null: nowhere. */
  readonly onward: string | null
  /** The site that the merchant sends people back to. null: none is set, or the address belongs to an app. */
  readonly merchantSite: string | null
}

export async function readHostedPage(
  deps: Pick<Deps, 'db' | 'batcher' | 'clock' | 'config' | 'registrations'>,
  id: string,
): Promise<HostedVerification> {
  const verification = isVerificationId(id) ? await findWalletVerification(deps, id) : null
  if (verification === null) throw new Refusal('session_not_found')
  const nowMs = deps.clock.now()
  const status = statusAt(verification, nowMs)
  const onward = finishPathWithin(verification.redirectUrl, deps.config.baseUrl)
  const browser = bindingFacts(deps, verification)
  // Only a failed verification needs a further query.
  const end = status === 'failed' ? await readProgress(deps, id) : null
  const errorCode = end?.errorCode ?? null
  // In a sign-in, another person may have scanned the code, and the failed ID may be theirs. The browser API rules that out.
  const mayTellReason = !browser.isSignIn || end?.boundBy === 'browser_api'
  const transaction = status === 'pending' ? openTransaction(deps.db, verification).map(shownOf) : []
  return {
    id: verification.id,
    status,
    step: stepAt({ ...verification, errorCode }, nowMs),
    reason: verification.state === 'cancelled' ? 'cancelled' : mayTellReason ? endReasonOf(errorCode) : null,
    tenantId: verification.tenantId,
    environment: verification.environment,
    merchant: verification.tenantName,
    purpose: verification.purpose,
    transaction,
    agreesTo: kindOf(transaction),
    registered: await registeredWords(deps, verification),
    ...shownQuestion(verification),
    expiresAtMs: millisecondsOf(verification.expiresAt),
    nowMs,
    walletUri: walletUriOf(verification.clientId, requestUriOf(deps.config.baseUrl, verification.id)),
    sameDeviceUri: walletUriOf(verification.clientId, sameDeviceUriOf(deps.config.baseUrl, verification.id)),
    ageUri: ageAskingOf(deps, verification)?.uri ?? null,
    origin: askingOrigin(verification, deps.config.baseUrl),
    asksInBrowser: verification.origin === null,
    takesOtherDevices: verification.browserBinding !== 'same_device',
    browser,
    onward,
    // A sign-in continues on this page, and then at its client.
    merchantSite: onward === null ? siteOf(verification.redirectUrl) : null,
  }
}

/** A payment only if it is the only item. */
function kindOf([first, ...others]: readonly ShownTransaction[]): AgreedKind | null {
  if (first === undefined) return null
  return first.kind === 'payment' && others.length === 0 ? 'payment' : 'other'
}

export function shownQuestion({
  query,
  outputs,
}: {
  readonly query: DcqlQuery
  readonly outputs: Outputs | null
}): Omit<ShownQuestion, 'registered'> {
  return {
    outputs: outputs === null ? null : Object.keys(outputs),
    question: describeQuery(query),
    birthDateOnlyForAge: outputs !== null && readsBirthDateOnlyForAge(outputs),
  }
}

/**
 * Returns the origin only: the full address may contain a customer's token, and anyone who saw the QR code can open
 * this page. The wallet gets the full address.
 */
function siteOf(redirectUrl: string | null): string | null {
  const url = redirectUrl === null ? null : URL.parse(redirectUrl)
  return url !== null && ['https:', 'http:'].includes(url.protocol) ? `${url.origin}/` : null
}

/** Shows nothing if the certificate was deleted, which can happen long after the end. */
async function registeredWords(
  deps: Pick<Deps, 'registrations' | 'clock'>,
  verification: WalletVerification,
): Promise<HostedVerification['registered']> {
  if (verification.registrationId === null) return null
  const found = await deps.registrations.findOne(verification, verification.registrationId, deps.clock.now())
  if (found === null) return null
  const { purposes, privacyPolicy } = found.certificate
  return { purposes, privacyPolicy }
}
