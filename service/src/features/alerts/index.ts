// The public interface of alerts for other features.

export { usageAlertSealContext } from './domain/usage-alerts.ts'
export { changeUsageAlerts, readUsageAlerts } from './usecases/manage-usage-alerts.ts'
export { changeAlertTopics, readAlertTopics } from './usecases/subscribe-to-alerts.ts'
