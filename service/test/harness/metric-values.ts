// Reads the values of single metrics as an operator does.

import type { Deps } from '../../src/deps.ts'

export async function connectionsCut(deps: Pick<Deps, 'metrics'>, reason: string): Promise<number> {
  const { values } = await deps.metrics.connectionsClosed.get()
  return values.find(({ labels }) => labels.reason === reason)?.value ?? 0
}

export async function heldBytes(deps: Pick<Deps, 'metrics'>): Promise<number> {
  const { values } = await deps.metrics.bufferedBytes.get()
  return values[0]?.value ?? 0
}

export async function requestsInFlight(deps: Pick<Deps, 'metrics'>): Promise<number> {
  const { values } = await deps.metrics.inFlight.get()
  return values[0]?.value ?? 0
}
