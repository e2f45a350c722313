// Builds invalid proofs, with which a helper loads every circuit before a wallet has to wait for it.

import type { ZkCircuit, ZkStatement } from '@vidimus/engine'

/** The generator of P-256, because some libraries refuse a key that is not on the curve. */
const ISSUER_KEY = {
  x: 'axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY',
  y: 'T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU',
}
const TRUE = Uint8Array.of(0xf5)
const NAME = 'warm.up'

/** Circuits for few elements come first, because most requests ask for one element. */
export const warmUpOf = (system: string, circuits: readonly ZkCircuit[]): readonly ZkStatement[] =>
  circuits
    .toSorted((a, b) => a.attributes - b.attributes)
    .map(({ hash, attributes }) => ({
      system,
      circuitHash: hash,
      issuerKey: ISSUER_KEY,
      transcript: Uint8Array.of(0xf6),
      docType: NAME,
      timestamp: '2026-01-01T00:00:00Z',
      claims: Array.from({ length: attributes }, (_, at) => ({ nameSpace: NAME, element: `e${at}`, value: TRUE })),
      proof: new Uint8Array(1000),
    }))
