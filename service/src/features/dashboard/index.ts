// The public interface of the dashboard's figures for other features.

export { readUsedTemplates } from './usecases/read-figures.ts'
