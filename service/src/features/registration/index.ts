// The public interface of registration for other features.

export { renderConcernForPage } from './domain/concern-for-page.ts'
export { type RegisterLook, renderLook } from './domain/drift.ts'
export { loadLook } from './store/register-looks.ts'
export { diagnoseRegistrations } from './usecases/diagnose-registration.ts'
export { diagnoseRequests } from './usecases/going-live/answer-requests.ts'
export { listTemplatesWithUse, type TemplateWithUse } from './usecases/list-templates-with-use.ts'
export { diagnoseRegisters } from './usecases/look-at-register.ts'
