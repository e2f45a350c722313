// Stores the sandbox issuer as one sealed text. All replicas use the first one that is stored.

import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import { sandboxIssuerSealContext } from '../domain/sandbox.ts'

/** Returns the sealed text. `openSandboxIssuer` opens it, and `replaceSandboxIssuer` compares it. */
export async function loadSandboxIssuer(tx: Tx, name: string): Promise<Buffer | null> {
  const [row] = await tx.query<{ sealed: Buffer }>(
    { name: 'load_sandbox_issuer', text: 'select sealed from sandbox_issuers where name = $1' },
    [name],
  )
  return row?.sealed ?? null
}

export const openSandboxIssuer = ({ sealer }: Sealing, name: string, sealed: Uint8Array): string =>
  sealer.open(sealed, sandboxIssuerSealContext(name)).toString('utf8')

const sealIssuer = ({ sealer }: Sealing, name: string, text: string) =>
  sealer.seal(Buffer.from(text, 'utf8'), sandboxIssuerSealContext(name))

export async function insertSandboxIssuer(tx: Tx, issuer: { name: string; text: string; at: Instant }): Promise<void> {
  await tx.query(
    {
      name: 'insert_sandbox_issuer',
      text: 'insert into sandbox_issuers (name, sealed, created_at) values ($1, $2, $3) on conflict do nothing',
    },
    [issuer.name, sealIssuer(tx, issuer.name, issuer.text), issuer.at],
  )
}

/** Returns false if another replica replaced the text in the meantime. */
export async function replaceSandboxIssuer(
  tx: Tx,
  issuer: { name: string; text: string; seen: Uint8Array },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'replace_sandbox_issuer',
      text: 'update sandbox_issuers set sealed = $2 where name = $1 and sealed = $3 returning name',
    },
    [issuer.name, sealIssuer(tx, issuer.name, issuer.text), issuer.seen],
  )
  return rows.length === 1
}
