// The public interface of figures for other features.

export { CREATED_BY_SIGN_IN, CREATED_BY_STAFF } from './domain/counts.ts'
export { readUsedTemplates } from './usecases/read-figures.ts'
export { readForecast } from './usecases/read-forecast.ts'
