// The public interface of operator for other features.

export type { DiagnosedDeps } from './usecases/diagnose.ts'
