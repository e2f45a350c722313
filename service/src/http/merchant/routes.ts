// The merchant's routes: spec 4.1, and what came after.

import type { Deps } from '../../deps.ts'
import type { App } from '../app.ts'
import { addDeviceManagementRoutes } from './devices.ts'
import { addDiagnosticsRoute } from './diagnostics.ts'
import { addEventRoutes } from './events.ts'
import { addEvidenceRoute } from './evidence.ts'
import { addReceiptRoutes } from './receipts.ts'
import { addTemplateListRoute } from './templates.ts'
import { addTransactionRoute } from './transaction.ts'
import { addUniversalRoutes } from './universal-oid4vp.ts'
import { addUsageRoutes } from './usage.ts'
import { addVerificationRoutes } from './verifications.ts'

export function addMerchantRoutes(app: App, deps: Deps): void {
  addVerificationRoutes(app, deps)
  addReceiptRoutes(app, deps)
  addEvidenceRoute(app, deps)
  addTransactionRoute(app, deps)
  addDiagnosticsRoute(app, deps)
  addDeviceManagementRoutes(app, deps)
  addTemplateListRoute(app, deps)
  addUsageRoutes(app, deps)
  addEventRoutes(app, deps)
  addUniversalRoutes(app, deps)
}
