// Reads the content of a certificate. After the verification's erasure, the certificate does not show the request.

import type { DcqlQuery } from '@vidimus/engine'
import { type DescribedQuery, describeQuery } from '../../../core/templates/domain/describe-query.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { findTenant } from '../../../core/tenants/usecases/manage-tenants.ts'
import { findWalletVerification } from '../../../core/verifications/store/wallet-verifications.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { loadLog, loadReceipt, NOT_YET_SECONDS, proveLeaf, type StoredReceipt } from '../../transparency/index.ts'

export interface CertifiedVerification {
  readonly jws: string
  readonly receipt: ReceiptFacts
  readonly proof: string
  readonly log: { readonly index: number; readonly salt: Buffer | null; readonly origin: string }
  readonly merchant: string
  /** null if it was erased. */
  readonly request: { readonly question: DescribedQuery; readonly outputs: readonly string[] | null } | null
}

/** The signed content of the receipt. */
interface ReceiptFacts {
  readonly jti: string
  readonly iss: string
  readonly iat: number
  readonly env: string
  readonly verdict: 'accepted' | 'rejected'
  readonly code?: string
  readonly asked: { readonly template?: string }
}

type Needs = Pick<Deps, 'db' | 'batcher'>

export async function readCertificate(deps: Needs, realm: Realm, id: string): Promise<CertifiedVerification> {
  const stored = isVerificationId(id) ? await loadReceipt(deps.db, realm, id) : null
  if (stored === null) throw new Refusal('session_not_found')
  return certify(deps, realm, stored)
}

/** The caller has loaded the receipt of this realm. */
export async function certify(
  deps: Needs,
  realm: Realm,
  { jws, leafIndex: index, leafSalt: salt }: StoredReceipt,
): Promise<CertifiedVerification> {
  if (index === null) throw new Refusal('unavailable', { retryAfterSeconds: NOT_YET_SECONDS, missing: 'not_yet' })
  const receipt: ReceiptFacts = JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString('utf8'))
  const proof = await proveLeaf(deps.db, index, salt)
  const { origin } = await loadLog(deps.db)
  const tenant = await findTenant(deps, realm.tenantId)
  if (tenant === null || origin === null) throw new Error('bug: a receipt in the log without its tenant or log')
  const found = await findWalletVerification(deps, receipt.jti)
  const isOwn = found?.tenantId === realm.tenantId && found.environment === realm.environment
  const request = found === null || !isOwn ? null : describe(found)
  return { jws, receipt, proof, log: { index, salt, origin }, merchant: tenant.name, request }
}

function describe({ query, outputs }: { readonly query: DcqlQuery; readonly outputs: object | null }) {
  return { question: describeQuery(withoutValues(query)), outputs: outputs === null ? null : Object.keys(outputs) }
}

/** A merchant may ask for a certain value, such as a name, which is personal data. */
function withoutValues(query: DcqlQuery): DcqlQuery {
  const credentials = query.credentials.map((credential) =>
    credential.claims === undefined
      ? credential
      : { ...credential, claims: credential.claims.map(({ values: _values, ...claim }) => claim) },
  )
  return { ...query, credentials }
}
