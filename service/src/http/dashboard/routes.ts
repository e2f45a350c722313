// /dashboard: the web app for merchant staff, and what it asks the service.

import type { Deps } from '../../deps.ts'
import type { App } from '../app.ts'
import { addAuditRoutes } from './audit.ts'
import { addBrandingRoutes } from './branding.ts'
import { addClientRoutes } from './clients.ts'
import { createDownloads } from './downloads.ts'
import { addDashboardFiles } from './files.ts'
import { addGoingLiveRoutes } from './going-live.ts'
import { addKeyRoutes, addStaffDeviceRoutes } from './keys-and-devices.ts'
import { addMeRoutes } from './me.ts'
import { addOidcRoutes } from './oidc.ts'
import { addOriginRoutes } from './origins.ts'
import { addOwnTrustRoutes } from './own-trust.ts'
import { addProofRoutes } from './proofs.ts'
import { addRegistrationRoutes } from './registration.ts'
import { addResultKeyRoutes } from './result-keys.ts'
import { addAccountRoutes } from './sign-in/account.ts'
import { addSignInRoutes } from './sign-in/sign-in.ts'
import { addTemplateRoutes } from './templates.ts'
import { addExportRoute } from './verifications/export.ts'
import { addFigureRoutes } from './verifications/figures.ts'
import { addNewVerificationRoutes } from './verifications/new-verification.ts'
import { addVerificationRequestRoute } from './verifications/verification-request.ts'
import { addStaffVerificationRoutes } from './verifications/verifications.ts'
import { addWebhookRoutes } from './webhooks/webhooks.ts'

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
