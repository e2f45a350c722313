// The public interface of audit for other features.

export { CHECKPOINT_LABEL, openCheckpoint } from './domain/checkpoint.ts'
export { type RecordedEntry, readLine } from './domain/export.ts'
export { ENTRY_KEY_LABEL } from './domain/head-macs.ts'
export { createLosses, type Losses, lapsesUntil, nameEntries, textOfDay } from './domain/losses.ts'
export { LAPSE, MOVED_AWAY, readLapse } from './domain/verify-chain.ts'
export { findAnyCheckpointAcrossTenants } from './store/checkpoints.ts'
export { closeTrails, disownTrails, handOverTrails, openTrails, reopenTrails } from './store/closed-trails.ts'
export { adoptTrail } from './usecases/adopt-chain.ts'
export { auditPublicKey } from './usecases/read-audit.ts'
export { createTrailCopy, isTrailGuarded, type TrailCopy } from './usecases/take-over-trail.ts'
export { verifyExport } from './usecases/verify-audit.ts'
export { diagnoseTrails } from './usecases/watch-trails.ts'
