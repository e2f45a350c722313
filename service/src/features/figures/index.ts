// The public interface of figures for other features.

export { ASKED_BY_SIGN_IN, ASKED_BY_STAFF } from './domain/counts.ts'
export { readUsedTemplates } from './usecases/read-figures.ts'
