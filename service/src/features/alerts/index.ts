// What other features may use of alerts.

export { usageAlertSealContext } from './domain/usage-alerts.ts'
export { changeUsageAlerts, readUsageAlerts } from './usecases/manage-usage-alerts.ts'
