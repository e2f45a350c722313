// What a holder may see of a verification before answering: who asks for what, why, and how long. Nothing personal.

import type { DcqlQuery, WordedText } from '@vidimus/engine'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { isVerificationId } from '../../domain/ids.ts'
import { finishPathWithin } from '../../domain/oidc/issuer.ts'
import { readsBirthDateOnlyForAge } from '../../domain/template/outputs.ts'
import {
  askingOrigin,
  requestUriOf,
  statusAt,
  type VerificationStatus,
  walletUriOf,
} from '../../domain/verification/verification.ts'
import { type Environment, millisecondsOf } from '../../domain/world.ts'
import type { AskedVerification } from './asked-verification.ts'
import { readAsked } from './read-together.ts'

export interface HostedVerification {
  readonly id: string
  readonly status: VerificationStatus
  readonly environment: Environment
  /** The merchant, by the name of its tenant. */
  readonly merchant: string
  readonly purpose: string | null
  /** As the registration certificate says them that it is asked under; null where there is none. */
  readonly registered: { readonly purposes: readonly WordedText[]; readonly privacyPolicy: string | null } | null
  /** Names of what is asked for: a template's outputs, or the last names of the query's paths. */
  readonly asked: readonly string[]
  /** A birth date may be asked for, to tell an age from and for nothing else. */
  readonly birthDateOnlyForAge: boolean
  readonly expiresAtMs: number
  readonly nowMs: number
  readonly walletUri: string
  /** Of the page that may ask through its browser. */
  readonly origin: string
  /** Whether that is the hosted page: not where the merchant's own does. */
  readonly asksInBrowser: boolean
  /** Where the person goes on to when it has ended, for a sign-in; null: nowhere from here. */
  readonly onward: string | null
}

export async function readHostedPage(
  deps: Pick<Deps, 'db' | 'lanes' | 'sealer' | 'clock' | 'config' | 'registrations'>,
  id: string,
): Promise<HostedVerification> {
  const asked = isVerificationId(id) ? await readAsked(deps, id) : null
  if (asked === null) throw new Refusal('session_not_found')
  const nowMs = deps.clock.now()
  return {
    id: asked.id,
    status: statusAt(asked, nowMs),
    environment: asked.environment,
    merchant: asked.tenantName,
    purpose: asked.purpose,
    registered: await registeredWords(deps, asked),
    asked: asked.outputs === null ? namesOf(asked.query) : Object.keys(asked.outputs),
    birthDateOnlyForAge: asked.outputs !== null && readsBirthDateOnlyForAge(asked.outputs),
    expiresAtMs: millisecondsOf(asked.expiresAt),
    nowMs,
    walletUri: walletUriOf(asked.clientId, requestUriOf(deps.config.baseUrl, asked.id)),
    origin: askingOrigin(asked, deps.config.baseUrl),
    asksInBrowser: asked.origin === null,
    onward: finishPathWithin(asked.redirectUrl, deps.config.baseUrl),
  }
}

/** Long after the end the certificate may be forgotten: then nothing is shown of it. */
async function registeredWords(
  deps: Pick<Deps, 'registrations' | 'clock'>,
  asked: AskedVerification,
): Promise<HostedVerification['registered']> {
  if (asked.registrationId === null) return null
  const found = await deps.registrations.findOne(asked, asked.registrationId, deps.clock.now())
  if (found === null) return null
  const { purposes, privacyPolicy } = found.certificate
  return { purposes, privacyPolicy }
}

function namesOf(query: DcqlQuery): string[] {
  const names = query.credentials.flatMap(({ claims = [] }) =>
    claims.map(({ path }) => String(path.findLast((part) => typeof part === 'string') ?? '')),
  )
  return [...new Set(names)]
}
