// Defines the port of the verifier of zero-knowledge proofs.

import type { ZkStatement } from '@vidimus/engine'

/** `later`: the proof was not checked, for lack of room or time. */
export type ZkAnswer = 'valid' | 'invalid' | 'unavailable' | 'later'

/** Used for limits: no tenant may block all others, and no verification may repeatedly take too long. */
interface ZkAsker {
  readonly tenantId: string
  readonly verificationId: string
}

export interface ZkVerifier {
  /** Whether a helper has already loaded this circuit: loading one takes too long for a request. */
  canCheck(circuitHash: string): boolean
  verify(statement: ZkStatement, asker: ZkAsker): Promise<ZkAnswer>
  close(): void
}
