// Lists allowed values and limits of bodies about webhooks.

export const ENDPOINT_URL_MAX = 2048

export const SAMPLE_TYPES = ['verification.failed', 'verification.completed'] as const

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'held'] as const
