// The merchant's routes: spec 4.1, and later additions.

import { addUsageRoutes } from './core/quota/http/usage.ts'
import { addTemplateListRoute } from './core/templates/http/templates.ts'
import { addTransactionRoute } from './core/transactions/http/transaction.ts'
import { addDiagnosticsRoute } from './core/verifications/http/merchant/diagnostics.ts'
import { addVerificationRoutes } from './core/verifications/http/merchant/verifications.ts'
import type { Deps } from './deps.ts'
import { addCertificateRoute } from './features/certificates/http/certificates.ts'
import { addDeviceManagementRoutes } from './features/devices/http/devices.ts'
import { addEvidenceRoute } from './features/evidence/http/evidence.ts'
import { addLinkRoutes } from './features/links/http/links.ts'
import { addUniversalRoutes } from './features/oidc/http/universal-oid4vp.ts'
import { addReceiptRoutes } from './features/transparency/http/receipts.ts'
import { addEventRoutes } from './features/webhooks/http/events.ts'
import type { App } from './platform/http/app.ts'

export function addMerchantRoutes(app: App, deps: Deps): void {
  addVerificationRoutes(app, deps)
  addReceiptRoutes(app, deps)
  addCertificateRoute(app, deps)
  addEvidenceRoute(app, deps)
  addTransactionRoute(app, deps)
  addDiagnosticsRoute(app, deps)
  addLinkRoutes(app, deps)
  addDeviceManagementRoutes(app, deps)
  addTemplateListRoute(app, deps)
  addUsageRoutes(app, deps)
  addEventRoutes(app, deps)
  addUniversalRoutes(app, deps)
}
