// /dashboard: the web app for merchant staff, and what it asks the service.

import type { Deps } from '../../deps.ts'
import type { App } from '../app.ts'
import { addAccountRoutes } from './account.ts'
import { addAuditRoutes } from './audit.ts'
import { addBrandingRoutes } from './branding.ts'
import { addClientRoutes } from './clients.ts'
import { createDownloads } from './downloads.ts'
import { addExportRoute } from './export.ts'
import { addFigureRoutes } from './figures.ts'
import { addDashboardFiles } from './files.ts'
import { addGoingLiveRoutes } from './going-live.ts'
import { addKeyRoutes, addStaffDeviceRoutes } from './keys-and-devices.ts'
import { addMeRoutes } from './me.ts'
import { addNewVerificationRoutes } from './new-verification.ts'
import { addOidcRoutes } from './oidc.ts'
import { addOriginRoutes } from './origins.ts'
import { addOwnTrustRoutes } from './own-trust.ts'
import { addProofRoutes } from './proofs.ts'
import { addRegistrationRoutes } from './registration.ts'
import { addResultKeyRoutes } from './result-keys.ts'
import { addSignInRoutes } from './sign-in.ts'
import { addTemplateRoutes } from './templates.ts'
import { addVerificationRequestRoute } from './verification-request.ts'
import { addStaffVerificationRoutes } from './verifications.ts'
import { addWebhookRoutes } from './webhooks.ts'

export function addDashboardRoutes(app: App, deps: Deps): void {
  const downloads = createDownloads()
  addSignInRoutes(app, deps)
  addOidcRoutes(app, deps)
  addMeRoutes(app, deps)
  addStaffVerificationRoutes(app, deps)
  addVerificationRequestRoute(app, deps)
  addNewVerificationRoutes(app, deps)
  addFigureRoutes(app, deps)
  addExportRoute(app, deps, downloads)
  addKeyRoutes(app, deps)
  addStaffDeviceRoutes(app, deps)
  addTemplateRoutes(app, deps)
  addWebhookRoutes(app, deps)
  addAuditRoutes(app, deps, downloads)
  addProofRoutes(app, deps)
  addAccountRoutes(app, deps)
  addOriginRoutes(app, deps)
  addOwnTrustRoutes(app, deps)
  addBrandingRoutes(app, deps)
  addResultKeyRoutes(app, deps)
  addRegistrationRoutes(app, deps)
  addGoingLiveRoutes(app, deps)
  addClientRoutes(app, deps)
  addDashboardFiles(app, deps)
}
