// /dashboard: the web app for merchant staff, and what it asks the service.

import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { addAuditRoutes } from '../../audit/http/audit.ts'
import { addExportRoute } from '../../dashboard/http/export.ts'
import { addFigureRoutes } from '../../dashboard/http/figures.ts'
import { addNewVerificationRoutes } from '../../dashboard/http/new-verification.ts'
import { addResultKeyRoutes } from '../../dashboard/http/result-keys.ts'
import { addTemplateRoutes } from '../../dashboard/http/templates.ts'
import { addVerificationRequestRoute } from '../../dashboard/http/verification-request.ts'
import { addStaffVerificationRoutes } from '../../dashboard/http/verifications.ts'
import { addKeyRoutes, addStaffDeviceRoutes } from '../../devices/http/keys-and-devices.ts'
import { addClientRoutes } from '../../oidc/http/clients.ts'
import { addBrandingRoutes } from '../../pages/http/branding.ts'
import { addGoingLiveRoutes } from '../../registration/http/going-live.ts'
import { addRegistrationRoutes } from '../../registration/http/registration.ts'
import { addProofRoutes } from '../../transparency/http/proofs.ts'
import { addOriginRoutes } from '../../trust/http/origins.ts'
import { addOwnTrustRoutes } from '../../trust/http/own-trust.ts'
import { addWebhookRoutes } from '../../webhooks/http/webhooks.ts'
import { createDownloads } from './downloads.ts'
import { addDashboardFiles } from './files.ts'
import { addMeRoutes } from './me.ts'
import { addOidcRoutes } from './oidc.ts'
import { addAccountRoutes } from './sign-in/account.ts'
import { addSignInRoutes } from './sign-in/sign-in.ts'

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
