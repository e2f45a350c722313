// All columns with sealed values, and how a rotation of the master key reseals each. A test compares this list with the schema.

import { resultKeySealContext } from '../../../core/result-keys/domain/result-key.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { transactionSealContext } from '../../../core/transactions/domain/frozen.ts'
import { ephemeralKeySealContext, POINT_BYTES } from '../../../core/verifications/domain/ephemeral-key.ts'
import { idempotentResponseSealContext } from '../../../core/verifications/domain/idempotency.ts'
import { resultSealContext } from '../../../core/verifications/domain/sealed-result.ts'
import { indexMetadata, sensitiveFieldsSealContext } from '../../../core/verifications/domain/sensitive-fields.ts'
import { servedRequestsSealContext } from '../../../core/verifications/domain/sent-requests.ts'
import { keptKeySealContext } from '../../../platform/seal/kept-key.ts'
import type { SealedColumn, SealedRowFacts } from '../../../platform/seal/sealed-column.ts'
import type { Environment } from '../../../platform/world.ts'
import { usageAlertSealContext } from '../../alerts/index.ts'
import { linkSealContext } from '../../links/index.ts'
import { mailSealContext } from '../../mail/index.ts'
import { pushedSealContext, requestSealContext, signingKeySealContext } from '../../oidc/index.ts'
import { receiptKeySealContext } from '../../transparency/index.ts'
import { authoritySealContext, certificateSealContext, sandboxIssuerSealContext } from '../../trust/index.ts'
import {
  answerOfAttemptSealContext,
  endpointSealContext,
  testEventSealContext,
  webhookSecretSealContext,
} from '../../webhooks/index.ts'

const whole = { contextColumns: [], prefixBytes: 0, derived: null } as const
const inRealm = { ...whole, contextColumns: ['tenant_id', 'environment'] } as const

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  // The keys that the service cannot start without come first.
  {
    ...whole,
    table: 'kept_keys',
    column: 'sealed',
    key: ['label'],
    sealContext: (row) => keptKeySealContext(text(row, 'label')),
  },
  {
    ...whole,
    table: 'access_authorities',
    column: 'private_key',
    key: ['environment'],
    sealContext: (row) => authoritySealContext(environmentOf(row)),
  },
  {
    ...inRealm,
    table: 'access_keys',
    column: 'private_key',
    key: ['id'],
    sealContext: (row) =>
      certificateSealContext({ id: text(row, 'id'), tenantId: row.tenant_id ?? null, environment: environmentOf(row) }),
  },
  {
    ...whole,
    table: 'receipt_keys',
    column: 'private_key',
    key: ['kid'],
    sealContext: (row) => receiptKeySealContext(text(row, 'kid')),
  },
  {
    ...whole,
    table: 'sandbox_issuers',
    column: 'sealed',
    key: ['name'],
    sealContext: (row) => sandboxIssuerSealContext(text(row, 'name')),
  },
  {
    ...whole,
    table: 'webhook_secrets',
    column: 'secret',
    key: ['tenant_id', 'environment'],
    sealContext: (row) => webhookSecretSealContext(realmOfRow(row)),
  },
  {
    ...inRealm,
    table: 'webhook_old_secrets',
    column: 'secret',
    key: ['tenant_id', 'id'],
    sealContext: (row) => webhookSecretSealContext(realmOfRow(row)),
  },
  {
    ...whole,
    table: 'usage_alerts',
    column: 'sealed_url',
    key: ['tenant_id', 'environment'],
    sealContext: (row) => usageAlertSealContext(realmOfRow(row)),
  },
  {
    ...whole,
    table: 'mails',
    column: 'sealed',
    key: ['id'],
    sealContext: (row) => mailSealContext(text(row, 'id')),
  },
  {
    ...inRealm,
    table: 'webhook_endpoints',
    column: 'url',
    key: ['tenant_id', 'id'],
    sealContext: (row) => endpointSealContext(realmOfRow(row), text(row, 'id')),
  },
  {
    ...inRealm,
    table: 'webhook_answers',
    column: 'sealed',
    key: ['attempt'],
    sealContext: (row) => answerOfAttemptSealContext(realmOfRow(row), text(row, 'attempt')),
  },
  {
    ...inRealm,
    table: 'webhook_test_events',
    column: 'sealed',
    key: ['tenant_id', 'id'],
    sealContext: (row) => testEventSealContext(realmOfRow(row), text(row, 'id')),
  },
  {
    ...inRealm,
    table: 'result_keys',
    column: 'sealed',
    key: ['tenant_id', 'id'],
    sealContext: (row) => resultKeySealContext(realmOfRow(row), text(row, 'id')),
  },
  {
    ...inRealm,
    table: 'verifications',
    column: 'encryption_key',
    key: ['id'],
    prefixBytes: POINT_BYTES,
    sealContext: (row, point) => ephemeralKeySealContext(ownerOf(row, 'id'), point),
  },
  {
    ...inRealm,
    table: 'verifications',
    column: 'particulars',
    key: ['id'],
    sealContext: (row) => sensitiveFieldsSealContext(ownerOf(row, 'id')),
    derived: {
      column: 'metadata_index',
      make: (keys, row, opened) => indexMetadata(keys, realmOfRow(row), JSON.parse(opened.toString('utf8')).metadata),
    },
  },
  {
    ...inRealm,
    table: 'verifications',
    column: 'transaction_data',
    key: ['id'],
    sealContext: (row) => transactionSealContext(ownerOf(row, 'id')),
  },
  {
    ...inRealm,
    table: 'verifications',
    column: 'served_requests',
    key: ['id'],
    sealContext: (row) => servedRequestsSealContext(ownerOf(row, 'id')),
  },
  {
    ...inRealm,
    table: 'verification_results',
    column: 'sealed',
    key: ['verification_id'],
    sealContext: (row) => resultSealContext(ownerOf(row, 'verification_id')),
  },
  {
    ...inRealm,
    table: 'oidc_keys',
    column: 'private_key',
    key: ['tenant_id', 'id'],
    sealContext: (row) => signingKeySealContext(ownerOf(row, 'id')),
  },
  {
    ...inRealm,
    table: 'oidc_authorizations',
    column: 'request',
    key: ['tenant_id', 'id'],
    sealContext: (row) => requestSealContext(ownerOf(row, 'id')),
  },
  {
    ...inRealm,
    table: 'links',
    column: 'request',
    key: ['tenant_id', 'id'],
    sealContext: (row) => linkSealContext(ownerOf(row, 'id')),
  },
  {
    ...inRealm,
    table: 'oidc_pushed_requests',
    column: 'request',
    key: ['tenant_id', 'id'],
    sealContext: (row) => pushedSealContext(ownerOf(row, 'id')),
  },
  {
    ...whole,
    table: 'idempotency_keys',
    column: 'answer',
    key: ['tenant_id', 'environment', 'key'],
    sealContext: (row) => idempotentResponseSealContext(realmOfRow(row), text(row, 'key')),
  },
]

function text(row: SealedRowFacts, column: string): string {
  const value = row[column]
  if (value === undefined || value === null) throw new Error(`bug: a sealed row without its ${column}`)
  return value
}

const environmentOf = (row: SealedRowFacts) => text(row, 'environment') as Environment
const realmOfRow = (row: SealedRowFacts): Realm => ({
  tenantId: text(row, 'tenant_id'),
  environment: environmentOf(row),
})
const ownerOf = (row: SealedRowFacts, id: string) => ({ ...realmOfRow(row), id: text(row, id) })
