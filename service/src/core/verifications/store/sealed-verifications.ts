// Seals the columns of a new verification.

import type { Sealing } from '../../../platform/postgres/db.ts'
import { sealTransaction } from '../../transactions/store/sealed.ts'
import { indexMetadata } from '../domain/sealed-particulars.ts'
import type { NewVerification, SealedVerification } from './columns.ts'
import { sealEphemeralKey } from './ephemeral-keys.ts'
import { sealParticulars } from './sealed-particulars.ts'

export function sealVerification(tx: Sealing, verification: NewVerification): SealedVerification {
  return {
    ...verification,
    sealedParticulars: sealParticulars(tx, verification, verification),
    metadataIndex: indexMetadata(tx.sealer, verification, verification.metadata),
    encryptionKey: sealEphemeralKey(tx, verification, verification.ephemeralKey),
    sealedTransaction: sealTransaction(tx, verification, verification.transaction),
  }
}
