// Seals the columns of a new verification.

import type { Sealing } from '../../../platform/postgres/db.ts'
import { sealTransaction } from '../../transactions/store/sealed.ts'
import { indexMetadata } from '../domain/sensitive-fields.ts'
import type { NewVerification, SealedVerification } from './columns.ts'
import { sealEphemeralKey } from './ephemeral-keys.ts'
import { sealSensitiveFields } from './sealed-sensitive-fields.ts'

export function sealVerification(tx: Sealing, verification: NewVerification): SealedVerification {
  return {
    ...verification,
    sealedSensitiveFields: sealSensitiveFields(tx, verification, verification),
    metadataIndex: indexMetadata(tx.sealer, verification, verification.metadata),
    encryptionKey: sealEphemeralKey(tx, verification, verification.ephemeralKey),
    sealedTransaction: sealTransaction(tx, verification, verification.transaction),
  }
}
