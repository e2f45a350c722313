// Reads what a holder sees before answering: merchant, request, reason and time left. Nothing personal.

import type { DcqlQuery, WordedText } from '@vidimus/engine'
import { type DescribedQuery, describeQuery } from '../../../core/templates/domain/describe-query.ts'
import { type Outputs, readsBirthDateOnlyForAge } from '../../../core/templates/domain/outputs.ts'
import { type ShownTransaction, shownOf } from '../../../core/transactions/domain/shown.ts'
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
import { readAsked } from '../../../core/verifications/store/asked.ts'
import { ageAskingOf } from '../../../core/verifications/usecases/asking/age-link.ts'
import {
  bindingFacts,
  type WalletVerification,
} from '../../../core/verifications/usecases/asking/asked-verification.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { type Environment, millisecondsOf } from '../../../platform/world.ts'
import { type EndReason, endReasonOf } from '../domain/end-reason.ts'
import { readProgress } from './follow-progress.ts'

export type { ShownTransaction }

/** The shown part of a request. */
export interface ShownQuestion {
  /** From the registration certificate of the request; null if there is none. */
  readonly registered: { readonly purposes: readonly WordedText[]; readonly privacyPolicy: string | null } | null
  /** Names of a template's outputs; null: the merchant receives what the wallet presents. */
  readonly outputs: readonly string[] | null
  /** What the wallet may present. */
  readonly question: DescribedQuery
  /** A birth date may be requested only to derive an age. */
  readonly birthDateOnlyForAge: boolean
}

export const AGREED_KINDS = ['payment', 'other'] as const
export type AgreedKind = (typeof AGREED_KINDS)[number]

export interface HostedVerification extends ShownQuestion {
  readonly id: string
  readonly status: VerificationStatus
  /** The progress, as the page shows it. */
  readonly step: Step
  /** Why it ended without a result; null: open, completed, declined, or no more may be said. Only for the browser that holds it. */
  readonly reason: EndReason | null
  readonly tenantId: string
  readonly environment: Environment
  /** The merchant, by the name of its tenant. */
  readonly merchant: string
  readonly purpose: string | null
  /** The transaction that the holder confirms, only while it is open: once it has ended, any browser may read the page. */
  readonly transaction: readonly ShownTransaction[]
  /** Its kind, while it is open; null: there is none. */
  readonly agreesTo: AgreedKind | null
  readonly expiresAtMs: number
  readonly nowMs: number
  /** For a QR code that another device scans. */
  readonly walletUri: string
  /** For the device that shows the page. */
  readonly sameDeviceUri: string
  /** For the EU age app, if it may be used; null: it may not. */
  readonly ageUri: string | null
  /** The origin of the page that may use the browser API. */
  readonly origin: string
  /** Whether that is the hosted page: not if the merchant's own page asks. */
  readonly asksInBrowser: boolean
  /** Whether an answer from another device can count. */
  readonly takesOtherDevices: boolean
  /** The browser that holds it. */
  readonly browser: ReturnType<typeof bindingFacts>
  /** Where a sign-in's person goes when it has ended; null: nowhere from here. */
  readonly onward: string | null
  /** The site that the merchant sends people back to; null if it named none, or an app. */
  readonly merchantSite: string | null
}

export async function readHostedPage(
  deps: Pick<Deps, 'db' | 'batcher' | 'clock' | 'config' | 'registrations'>,
  id: string,
): Promise<HostedVerification> {
  const asked = isVerificationId(id) ? await readAsked(deps, id) : null
  if (asked === null) throw new Refusal('session_not_found')
  const nowMs = deps.clock.now()
  const status = statusAt(asked, nowMs)
  const onward = finishPathWithin(asked.redirectUrl, deps.config.baseUrl)
  // Only a failed one needs more than was read already.
  const errorCode = status === 'failed' ? (await readProgress(deps, id)).errorCode : null
  const transaction = status === 'pending' ? openTransaction(deps.db, asked).map(shownOf) : []
  return {
    id: asked.id,
    status,
    step: stepAt({ ...asked, errorCode }, nowMs),
    reason: asked.state === 'cancelled' ? 'cancelled' : endReasonOf(errorCode),
    tenantId: asked.tenantId,
    environment: asked.environment,
    merchant: asked.tenantName,
    purpose: asked.purpose,
    transaction,
    agreesTo: kindOf(transaction),
    registered: await registeredWords(deps, asked),
    ...shownQuestion(asked),
    expiresAtMs: millisecondsOf(asked.expiresAt),
    nowMs,
    walletUri: walletUriOf(asked.clientId, requestUriOf(deps.config.baseUrl, asked.id)),
    sameDeviceUri: walletUriOf(asked.clientId, sameDeviceUriOf(deps.config.baseUrl, asked.id)),
    ageUri: ageAskingOf(deps, asked)?.uri ?? null,
    origin: askingOrigin(asked, deps.config.baseUrl),
    asksInBrowser: asked.origin === null,
    takesOtherDevices: asked.browserBinding !== 'same_device',
    browser: bindingFacts(deps, asked),
    onward,
    // A sign-in continues here, and from here to its client.
    merchantSite: onward === null ? siteOf(asked.redirectUrl) : null,
  }
}

/** A payment only if there is exactly one item, and it is a payment. */
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
 * Only the origin. The full address is for the person who answered: the wallet gets it with its answer, and a merchant
 * may have put a token for that customer into it. Anyone who saw the QR code can open this page.
 */
function siteOf(redirectUrl: string | null): string | null {
  const url = redirectUrl === null ? null : URL.parse(redirectUrl)
  return url !== null && ['https:', 'http:'].includes(url.protocol) ? `${url.origin}/` : null
}

/** Long after the end the certificate may be deleted: then nothing of it is shown. */
async function registeredWords(
  deps: Pick<Deps, 'registrations' | 'clock'>,
  asked: WalletVerification,
): Promise<HostedVerification['registered']> {
  if (asked.registrationId === null) return null
  const found = await deps.registrations.findOne(asked, asked.registrationId, deps.clock.now())
  if (found === null) return null
  const { purposes, privacyPolicy } = found.certificate
  return { purposes, privacyPolicy }
}
