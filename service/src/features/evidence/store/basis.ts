// The legal basis of a tenant's evidence bundles.

import type { Tx } from '../../../platform/postgres/db.ts'

/** null if bundles are off, or if the tenant does not exist. */
export async function loadEvidenceBasis(tx: Tx, tenantId: string): Promise<string | null> {
  const [row] = await tx.query<{ basis: string | null }>(
    { name: 'load_evidence_basis', text: 'select evidence_basis as basis from tenants where id = $1' },
    [tenantId],
  )
  return row?.basis ?? null
}

export async function updateEvidenceBasis(tx: Tx, tenantId: string, basis: string | null): Promise<void> {
  await tx.query({ name: 'update_evidence_basis', text: 'update tenants set evidence_basis = $2 where id = $1' }, [
    tenantId,
    basis,
  ])
}
