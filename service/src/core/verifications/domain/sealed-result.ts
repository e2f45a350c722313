// A verification's result at rest: one sealed JSON text, so that a copy of the database tells nothing of anybody.

import type { Sealer } from '../../../platform/seal/seal.ts'
import type { KeptResult } from './verification.ts'

interface Owner {
  readonly tenantId: string
  readonly environment: string
  readonly id: string
}

export function sealResult(sealer: Sealer, owner: Owner, result: KeptResult): Buffer {
  return sealer.seal(Buffer.from(JSON.stringify(result), 'utf8'), resultSealContext(owner))
}

export function openResult(sealer: Sealer, owner: Owner, sealed: Uint8Array): KeptResult {
  return JSON.parse(sealer.open(sealed, resultSealContext(owner)).toString('utf8'))
}

export const resultSealContext = ({ tenantId, environment, id }: Owner) =>
  `verification_results.sealed|${tenantId}|${environment}|${id}`
