// Whose it is: a tenant and one of its environments. Every row of a merchant lives in a place.

import type { Environment } from '../world.ts'

export interface Place {
  readonly tenantId: string
  readonly environment: Environment
}

export const placeName = (place: Place) => `${place.tenantId}|${place.environment}`
