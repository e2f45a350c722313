// Lists allowed values and limits of bodies about usage and alerts.

/** What staff can be alerted to by mail. */
export const ALERT_TOPICS = ['quota', 'webhooks'] as const

export const THRESHOLDS_MAX = 5

export const ALERT_URL_LENGTH_MAX = 2048
