// /dashboard: the web app for merchant staff, and the routes it calls.

import type { Deps } from './deps.ts'
import { addAuditRoutes } from './features/audit/http/audit.ts'
import { addStaffCertificateRoute } from './features/certificates/http/certificates.ts'
import { addAccountRoutes } from './features/dashboard/http/account.ts'
import { addExportRoute } from './features/dashboard/http/export.ts'
import { addKeyRoutes, addStaffDeviceRoutes } from './features/dashboard/http/keys-and-devices.ts'
import { addMeRoutes } from './features/dashboard/http/me.ts'
import { addNewVerificationRoutes } from './features/dashboard/http/new-verification.ts'
import { addResultKeyRoutes } from './features/dashboard/http/result-keys.ts'
import { addTemplateRoutes } from './features/dashboard/http/templates.ts'
import { addVerificationRequestRoute } from './features/dashboard/http/verification-request.ts'
import { addStaffVerificationRoutes } from './features/dashboard/http/verifications.ts'
import { addFigureRoutes } from './features/figures/http/figures.ts'
import { addStaffLinkRoutes } from './features/links/http/staff-links.ts'
import { addClientRoutes } from './features/oidc/http/clients.ts'
import { addBrandingRoutes } from './features/pages/http/branding.ts'
import { addGoingLiveRoutes } from './features/registration/http/going-live.ts'
import { addRegistrationRoutes } from './features/registration/http/registration.ts'
import { addDashboardFiles } from './features/staff/http/files.ts'
import { addOidcRoutes } from './features/staff/http/oidc.ts'
import { addLostAccessRoutes } from './features/staff/http/sign-in/lost-access.ts'
import { addSignInRoutes } from './features/staff/http/sign-in/sign-in.ts'
import { addProofRoutes } from './features/transparency/http/proofs.ts'
import { addOriginRoutes } from './features/trust/http/origins.ts'
import { addOwnTrustRoutes } from './features/trust/http/own-trust.ts'
import { addWebhookRoutes } from './features/webhooks/http/webhooks.ts'
import type { App } from './platform/http/app.ts'
import { createDownloads } from './platform/http/downloads.ts'

export function addDashboardRoutes(app: App, deps: Deps): void {
  const downloads = createDownloads()
  addSignInRoutes(app, deps)
  addLostAccessRoutes(app, deps)
  addOidcRoutes(app, deps)
  addMeRoutes(app, deps)
  addStaffVerificationRoutes(app, deps)
  addVerificationRequestRoute(app, deps)
  addNewVerificationRoutes(app, deps)
  addStaffLinkRoutes(app, deps)
  addFigureRoutes(app, deps)
  addExportRoute(app, deps, downloads)
  addKeyRoutes(app, deps)
  addStaffDeviceRoutes(app, deps)
  addTemplateRoutes(app, deps)
  addWebhookRoutes(app, deps)
  addAuditRoutes(app, deps, downloads)
  addProofRoutes(app, deps)
  addStaffCertificateRoute(app, deps)
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
