// The merchant's routes, spec 4.1.

import type { Deps } from '../../deps.ts'
import type { App } from '../app.ts'
import { addUsageRoutes } from './usage.ts'

export function addMerchantRoutes(app: App, deps: Deps): void {
  addUsageRoutes(app, deps)
}
