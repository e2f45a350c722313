// The port of the zero-knowledge proof verifier.

import type { ZkStatement } from '@vidimus/engine'

/** `later`: the proof was not checked, for lack of room or time. */
export type ZkAnswer = 'valid' | 'invalid' | 'unavailable' | 'later'

/** Who asks: no tenant may make all others wait, and no verification may take too long again and again. */
interface ZkAsker {
  readonly tenantId: string
  readonly verificationId: string
}

export interface ZkVerifier {
  /** Whether a helper has loaded this circuit and waits for proofs of it: one that still has to would be late. */
  canCheck(circuitHash: string): boolean
  verify(statement: ZkStatement, asker: ZkAsker): Promise<ZkAnswer>
  close(): void
}
