// Waits until a verification ends, also through losses of the network.

import type { DeviceClient } from '../../sdk/typescript/src/device/device-client.ts'
import { RefusedError, UnreachableError } from '../../sdk/typescript/src/device/device-errors.ts'
import type { Verification } from '../../sdk/typescript/src/verification.ts'
import { openWakeUps, type WakeUps } from '../../sdk/typescript/src/wake-ups.ts'
import { needsVerdict } from './outcome.ts'

const ANSWER_WITHIN_MS = 8_000

interface Watching {
  readonly signal: AbortSignal
  readonly fetch: typeof globalThis.fetch
}

export interface Ended {
  readonly verification: Verification
  readonly verdict: 'yes' | 'no' | null
}

/** Returns null if it was aborted. Throws refusals of the service and "pair again". */
export async function watchVerification(client: DeviceClient, id: string, watching: Watching): Promise<Ended | null> {
  const { signal } = watching
  let wakeUps: WakeUps | null = null
  while (!signal.aborted) {
    try {
      if (await isOver(watching.fetch, id)) {
        const verification = await client.getVerification(id)
        const verdict = needsVerdict(verification) ? (await client.getVerdict(id)).verdict : null
        if (verification.status !== 'pending') return signal.aborted ? null : { verification, verdict }
      }
    } catch (error) {
      if (signal.aborted) return null
      if (!isTemporary(error)) throw error
    }
    wakeUps ??= openWakeUps(`/verify/${encodeURIComponent(id)}/events`, signal)
    await wakeUps.wait()
  }
  return null
}

/** A busy service does not end the waiting. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof RefusedError) return error.status === 429 || error.status >= 500
  return error instanceof UnreachableError
}

/** Uses the public route, which costs none of the device's budget and returns only the status. */
async function isOver(fetch: typeof globalThis.fetch, id: string): Promise<boolean> {
  try {
    const response = await fetch(`/v1/verifications/${encodeURIComponent(id)}/status`, {
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      cache: 'no-store',
      credentials: 'omit',
    })
    // The device's own request will explain any refusal except "slow down".
    if (!response.ok) return response.status !== 429 && response.status < 500
    const { status } = (await response.json()) as { status?: unknown }
    return status !== 'pending'
  } catch (error) {
    throw new UnreachableError(true, { cause: error })
  }
}

export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, signal.aborted ? 0 : milliseconds)
    signal.addEventListener('abort', end)
  })
}
