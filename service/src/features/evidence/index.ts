// The public interface of evidence for other features.

export { takeBundle } from './store/bundles.ts'
