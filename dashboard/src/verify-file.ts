// Verifies a receipt, a proof or an export in the browser: nothing of it is sent anywhere.

import { AuditExportError, verifyAuditExport, type WholeExport } from '../../sdk/typescript/src/audit-export.ts'
import { type LogKeys, LogProofError, type ProvenLeaf, verifyReceiptProof } from '../../sdk/typescript/src/log-proof.ts'
import { type Receipt, ReceiptVerificationError, verifyReceipt } from '../../sdk/typescript/src/receipt.ts'

/** The largest file that does not freeze the page; larger ones need the command line. */
export const FILE_BYTES_MAX = 32 * 1024 * 1024

type FileKind = 'receipt' | 'proof' | 'export'

export function kindOf(text: string): FileKind | null {
  if (text.startsWith('c2sp.org/tlog-proof@v1\n')) return 'proof'
  if (text.startsWith('{"format":"vidimus-audit-export-v1"')) return 'export'
  return /^[\w-]+\.[\w-]+\.[\w-]+\s*$/.test(text) ? 'receipt' : null
}

export interface Problem {
  readonly code: string
  /** The number of the invalid entry of a chain. */
  readonly seq: number | null
}

export interface Shown {
  readonly receipt: Receipt | null
  readonly leaf: ProvenLeaf | null
  readonly chain: WholeExport | null
  readonly problem: Problem | null
}

export interface VerifiableFiles {
  readonly receipt: string | null
  readonly proof: string | null
  readonly exported: string | null
  readonly keys: LogKeys
  /** As `/log/receipt-keys` returns them. */
  readonly receiptKeys: { keys: readonly object[] }
}

const NOTHING: Shown = { receipt: null, leaf: null, chain: null, problem: null }

/** The first failed check decides. A proof without its receipt proves nothing. */
export async function verifyFiles({ receipt, proof, exported, keys, receiptKeys }: VerifiableFiles): Promise<Shown> {
  let shown = NOTHING
  try {
    if (receipt !== null) shown = { ...shown, receipt: await verifyReceipt(receipt, receiptKeys) }
    if (receipt !== null && proof !== null) shown = { ...shown, leaf: await verifyReceiptProof(proof, receipt, keys) }
    if (exported !== null) shown = { ...shown, chain: await verifyAuditExport(exported, keys) }
    return shown
  } catch (error) {
    return { ...NOTHING, problem: problemOf(error) }
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof AuditExportError) return { code: error.code, seq: error.seq }
  if (error instanceof LogProofError || error instanceof ReceiptVerificationError)
    return { code: error.code, seq: null }
  // Web Crypto throws this error for an unknown algorithm.
  if (error instanceof DOMException && error.name === 'NotSupportedError') return { code: 'unsupported', seq: null }
  throw error
}
