// Seals and opens a verification's result, one JSON text, so that a copy of the database reveals nothing.

import type { Sealing } from '../../../platform/postgres/db.ts'
import { padJson } from '../../../platform/seal/pad-json.ts'
import type { RealmRow } from '../../tenants/domain/realm.ts'
import { resultSealContext } from '../domain/sealed-result.ts'
import type { KeptResult } from '../domain/verification.ts'

export function sealResult({ sealer }: Sealing, owner: RealmRow, result: KeptResult): Buffer {
  return sealer.seal(padJson(JSON.stringify(result)), resultSealContext(owner))
}

export function openResult({ sealer }: Sealing, owner: RealmRow, sealed: Uint8Array): KeptResult {
  return JSON.parse(sealer.open(sealed, resultSealContext(owner)).toString('utf8'))
}
