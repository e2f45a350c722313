// The public interface of transparency for other features.

export { LOG_BLINDING_LABEL, LOG_SIGNING_LABEL } from './domain/log/log-keys.ts'
export type { CredentialFacts } from './domain/receipt/credential-facts.ts'
export { namesBundle } from './domain/receipt/receipt.ts'
export { receiptKeySealContext } from './domain/receipt/receipt-key.ts'
export { loadLog } from './store/log.ts'
export { loadLogInStore, markChecked } from './store/log-memory.ts'
export { loadReceipt } from './store/receipts.ts'
export { readSeenLog } from './store/seen-file.ts'
export { askWitnesses, type WitnessNeeds } from './usecases/ask-witnesses.ts'
export { diagnoseLog } from './usecases/diagnose-log.ts'
export { NOT_YET_SECONDS, proveLeaf } from './usecases/read-log.ts'
export { CREDENTIAL_FACTS, EVIDENCE_HASH } from './usecases/receipt-contribution.ts'
