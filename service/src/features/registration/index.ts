// Defines the public interface of registration for other features.

export { renderConcernForPage } from './domain/concern-for-page.ts'
export { type RegisterCheck, renderRegisterCheck } from './domain/drift.ts'
export { loadRegisterCheck } from './store/register-checks.ts'
export { diagnoseRegisters } from './usecases/check-registers.ts'
export { diagnoseRegistrations } from './usecases/diagnose-registration.ts'
export { diagnoseRequests } from './usecases/going-live/answer-requests.ts'
export { listTemplatesWithUse, measureComparison, type TemplateWithUse } from './usecases/list-templates-with-use.ts'
export { removeRegistration } from './usecases/manage-registrations.ts'
