// Rebuilds the request object of a verification from stored data, for staff.

import { type DcqlQuery, describeRequest, type JsonObject, registrationInfo, type WordedText } from '@vidimus/engine'
import type { Registration } from '../../../core/registrations/domain/registration.ts'
import { builtInTemplate } from '../../../core/templates/domain/question.ts'
import { describeTemplate } from '../../../core/templates/domain/question-warnings.ts'
import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { FrozenTransaction } from '../../../core/transactions/domain/frozen.ts'
import { openTransaction } from '../../../core/transactions/store/sealed.ts'
import { askingOrigin, responseUriOf, statusAt } from '../../../core/verifications/domain/verification.ts'
import { type AgeAsking, ageLinkOf } from '../../../core/verifications/usecases/asking/age-link.ts'
import {
  encryptionJwkOf,
  findForWallet,
  type WalletVerification,
} from '../../../core/verifications/usecases/asking/wallet-verification.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { millisecondsOf } from '../../../platform/world.ts'
import { type Role, reaches } from '../../staff/index.ts'

interface StaffRequest {
  /** The claims of the request object: without its signature, which is new for each wallet. */
  readonly request: JsonObject
  readonly question: ReturnType<typeof describeTemplate>
  /** The verification used a template that is built into this release. */
  readonly builtIn: boolean
  /**
   * The key that the answer is encrypted to: in the request, destroyed, or none because the answer was requested
   * unencrypted.
   */
  readonly encryptionKey: 'in_request' | 'destroyed' | 'none'
  /** The page whose browser may send the same request to a wallet. */
  readonly origin: string
  readonly registration: StaffRegistration | 'none' | 'forgotten'
  /** The wallet answered an age link: `request` has the parameters of the link, which are not signed. */
  readonly byAgeLink: boolean
}

interface StaffRegistration {
  readonly intendedUse: string
  readonly purposes: readonly WordedText[]
  readonly privacyPolicy: string | null
}

type Needs = Pick<Deps, 'db' | 'batcher' | 'clock' | 'config' | 'registrations'>

export async function readRequestForStaff(
  deps: Needs,
  input: { readonly realm: Realm; readonly id: string; readonly role: Role },
): Promise<StaffRequest> {
  const verification = await findForWallet(deps, input.id)
  // `findForWallet` searches by id only, because wallets know no realm.
  if (realmName(verification) !== realmName(input.realm)) throw new Refusal('session_not_found')
  const mayAnswer = reaches(input.role, 'admin')
  // With a pending request, a viewer could answer or decline it.
  if (!mayAnswer && statusAt(verification, deps.clock.now()) === 'pending') throw new Refusal('role_insufficient')
  const age = verification.answeredByAgeLink === true ? ageLinkOf(deps.config, verification) : null
  if (age !== null) return linkForStaff(deps, verification, age)
  const found =
    verification.registrationId === null
      ? null
      : await deps.registrations.findOne(verification, verification.registrationId, deps.clock.now())
  const encryptionKey = encryptionKeyOf(verification)
  return {
    request: claimsOf(deps, verification, {
      query: verification.query,
      encryptionKey,
      certificate: found?.certificate.raw ?? null,
      // As for results: viewers do not see a holder's payment details.
      transaction: mayAnswer ? openTransaction(deps.db, verification) : [],
    }),
    ...describeForStaff(deps, verification, verification.query),
    encryptionKey,
    registration:
      found === null ? (verification.registrationId === null ? 'none' : 'forgotten') : registrationOf(found),
    byAgeLink: false,
  }
}

function linkForStaff(deps: Needs, verification: WalletVerification, { parameters, query }: AgeAsking): StaffRequest {
  return {
    request: parameters,
    ...describeForStaff(deps, verification, query),
    encryptionKey: 'none',
    registration: 'none',
    byAgeLink: true,
  }
}

function describeForStaff(
  { config }: Needs,
  verification: WalletVerification,
  query: DcqlQuery,
): Pick<StaffRequest, 'question' | 'builtIn' | 'origin'> {
  return {
    question: describeTemplate({ ...verification, query, key: '', title: '', description: '' }),
    builtIn: verification.template !== null && builtInTemplate(verification.template) !== null,
    origin: askingOrigin(verification, config.baseUrl),
  }
}

function encryptionKeyOf({ responseMode, encryptionKey }: WalletVerification): StaffRequest['encryptionKey'] {
  if (responseMode === 'direct_post') return 'none'
  return encryptionKey === null ? 'destroyed' : 'in_request'
}

function claimsOf(
  deps: Pick<Deps, 'db' | 'config'>,
  verification: WalletVerification,
  kept: {
    readonly query: DcqlQuery
    readonly encryptionKey: StaffRequest['encryptionKey']
    readonly certificate: string | null
    readonly transaction: readonly FrozenTransaction[]
  },
): JsonObject {
  const described = describeRequest({
    clientId: verification.clientId,
    responseUri: responseUriOf(deps.config.baseUrl, verification.id),
    nonce: verification.nonce,
    state: verification.stateParameter,
    query: kept.query,
    encryptionJwk: kept.encryptionKey === 'in_request' ? encryptionJwkOf(deps, verification) : null,
    issuedAt: 0,
    expiresAt: Math.ceil(millisecondsOf(verification.expiresAt) / 1000),
    walletNonce: null,
    // Empty once the verification has ended: then the transaction is in its result.
    transaction: kept.transaction.map(({ text }) => text),
    ...(kept.certificate !== null && { verifierInfo: registrationInfo(kept.certificate) }),
  })
  // The signing time differs at every fetch.
  const { iat: _, ...claims } = described
  return { ...claims, response_mode: verification.responseMode }
}

function registrationOf({ intendedUse, certificate }: Registration): StaffRegistration {
  const { purposes, privacyPolicy } = certificate
  return { intendedUse, purposes, privacyPolicy }
}
