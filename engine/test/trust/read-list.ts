// Reads published lists as the service does: parses one, then asks whether its signer was revoked.

import { parseLote } from '../../src/trust/lote.ts'
import { type ConfirmingTerms, type ListKind, type ListReading, signerFault } from '../../src/trust/published-list.ts'
import { parseTrustedList } from '../../src/trust/trusted-list.ts'
import { parseVical } from '../../src/trust/vical.ts'

type Read<Parse extends (bytes: Uint8Array, terms: never) => ListReading> = (
  bytes: Uint8Array,
  terms: Parameters<Parse>[1] & ConfirmingTerms,
) => Promise<ListReading>

async function confirm(read: ListReading, kind: ListKind, terms: ConfirmingTerms): Promise<ListReading> {
  if (read.outcome === 'refused' || read.signerChain === null) return read
  return (await signerFault(read.signerChain, kind, terms)) ?? read
}

export const readLote: Read<typeof parseLote> = (bytes, terms) => confirm(parseLote(bytes, terms), 'lote', terms)
export const readTrustedList: Read<typeof parseTrustedList> = (bytes, terms) =>
  confirm(parseTrustedList(bytes, terms), 'tsl', terms)
export const readVical: Read<typeof parseVical> = (bytes, terms) => confirm(parseVical(bytes, terms), 'vical', terms)
