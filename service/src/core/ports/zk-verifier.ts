// Who checks zero-knowledge proofs about documents.

import type { ZkStatement } from '@vidimus/engine'

/** `later`: nothing is known of the proof, for there was no room or no time for it now. */
export type ZkAnswer = 'valid' | 'invalid' | 'unavailable' | 'later'

/** For whom: no tenant may have all the others wait, and no verification be checked for too long again and again. */
export interface ZkAsker {
  readonly tenantId: string
  readonly verificationId: string
}

export interface ZkVerifier {
  verify(statement: ZkStatement, asker: ZkAsker): Promise<ZkAnswer>
  close(): void
}
