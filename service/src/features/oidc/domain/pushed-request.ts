// Defines a pushed authorization request (RFC 9126): its address, its lifetime and its limits.

/** The stored part, as JSON. */
export interface PushedRequest {
  readonly parameters: Readonly<Record<string, string>>
}

export const PUSHED_SECONDS = 90

/**
 * How many pushed requests may wait for a browser: enough for the standard rate of sign-ins (20 a second, burst 600).
 * Once `total` are waiting, a tenant with fewer than `reservePerTenant` may still push.
 */
export const PUSHED_BOUNDS = {
  client: 2_500,
  tenant: 5_000,
  total: 20_000,
  reserve: 5_000,
  reservePerTenant: 100,
} as const

const PREFIX = 'urn:ietf:params:oauth:request_uri:'

export const pushedUri = (secret: string) => `${PREFIX}${secret}`

/** The secret in the address of a pushed request; null if it is another address. */
export const pushedSecretOf = (requestUri: string) =>
  requestUri.startsWith(PREFIX) ? requestUri.slice(PREFIX.length) : null

/** The context that the stored request is sealed with. */
export const pushedSealContext = (owner: {
  readonly tenantId: string
  readonly environment: string
  readonly id: string
}) => `oidc_pushed_requests.request|${owner.tenantId}|${owner.environment}|${owner.id}`
