// Lets a browser reuse its answer for some minutes, if the client allows it.

import { builtInTemplate } from '../../../core/templates/domain/question.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { type Answered, answeredOf } from '../../../core/verifications/domain/answered.ts'
import { readStored } from '../../../core/verifications/store/verifications.ts'
import { decryptVerification } from '../../../core/verifications/usecases/reading/read-verification.ts'
import type { Deps } from '../../../deps.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { millisecondsOf } from '../../../platform/world.ts'
import type { OidcClient } from '../domain/client.ts'
import { isBoundFor, signInRuleOf } from '../domain/confirmation.ts'
import { openBrowserToken, sealBrowserToken } from '../store/browser-tokens.ts'

type Client = Pick<OidcClient, 'id' | 'tenantId' | 'environment' | 'rememberMinutes' | 'crossDevice'>

/** null if the client does not allow it. The token is only in the browser's cookie. */
export function rememberBrowser(
  deps: Pick<Deps, 'db'>,
  client: Client,
  verificationId: string,
): { readonly clientId: string; readonly value: string; readonly seconds: number } | null {
  if (client.rememberMinutes === 0) return null
  const value = sealBrowserToken(deps.db, client, verificationId)
  return { clientId: client.id, value, seconds: client.rememberMinutes * 60 }
}

export async function findRemembered(
  deps: Pick<Deps, 'db' | 'batcher' | 'clock'>,
  input: { readonly client: Client; readonly token: string | null; readonly maxAgeSeconds: number | null },
): Promise<Answered | null> {
  const { client, token, maxAgeSeconds } = input
  const id = client.rememberMinutes === 0 || token === null ? null : openBrowserToken(deps.db, client, token)
  const stored = id === null || !isVerificationId(id) ? null : await readStored(deps, client, { id, deviceId: null })
  // Forwarded content is forgotten with the first code: a second one would be worthless.
  if (stored?.forgetAt !== null) return null
  // Answers from earlier releases are not bound, and the client may require a stronger binding today.
  if (!isBoundFor(signInRuleOf(client.crossDevice, client.environment), stored.boundBy)) return null
  const answered = answeredOf(decryptVerification(deps, stored))
  if (answered === null) return null
  const ageSeconds = (deps.clock.now() - millisecondsOf(answered.respondedAt)) / 1000
  const enough = Math.min(client.rememberMinutes * 60, maxAgeSeconds ?? Number.POSITIVE_INFINITY)
  return ageSeconds < enough ? answered : null
}

/** Another process may have used the template from before for a moment, and its clock may differ. */
const CHANGE_SECONDS = 60

/**
 * Whether the template still asks the same. After a change of the template, the person must answer again, and always if
 * it has a transaction, which an earlier response did not confirm.
 */
export async function isSameQuestion(
  deps: Pick<Deps, 'templates' | 'clock'>,
  realm: Realm,
  { createdAt, template }: Pick<Answered, 'createdAt' | 'template'>,
): Promise<boolean> {
  if (template === null) return false
  if (builtInTemplate(template) !== null) return true
  const own = await deps.templates.find(realm, template, deps.clock.now())
  if (own === null || own.transaction !== null) return false
  return millisecondsOf(createdAt) >= millisecondsOf(own.updatedAt) + CHANGE_SECONDS * 1000
}
