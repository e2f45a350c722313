// Closed lists and limits of bodies: usage.

export const THRESHOLDS_MAX = 5

export const ALERT_URL_LENGTH_MAX = 2048
