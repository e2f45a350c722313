// Polls with backoff: soon at first, because most holders answer within seconds, then less and less often.

import type { Sleep } from './transport.ts'
import { VidimusError } from './vidimus-error.ts'
import type { VerificationStatus } from './wire.ts'

export interface WaitOptions {
  readonly signal?: AbortSignal
  /** Give up after this long. Default 65 minutes: every verification has ended or expired by then. */
  readonly timeoutMs?: number
}

const FIRST_PAUSE_MS = 1_000
const PAUSE_MS_MAX = 5_000
const GROWTH = 1.25
const TIMEOUT_MS = 65 * 60_000

/** Rejects with code `timeout` if it is still pending at the end, and with the refusal if there is no such verification. */
export async function waitUntilEnded(
  ask: () => Promise<VerificationStatus>,
  { signal, timeoutMs = TIMEOUT_MS }: WaitOptions,
  world: { readonly sleep: Sleep; readonly now: () => number },
): Promise<void> {
  const end = world.now() + timeoutMs
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(PAUSE_MS_MAX, pause * GROWTH)) {
    const { status, retryAfterMs } = await askTolerantly(ask)
    if (status !== 'pending') return
    const wait = Math.max(pause, retryAfterMs)
    if (world.now() + wait > end) {
      throw new VidimusError({ code: 'timeout', message: `Still pending after ${timeoutMs} milliseconds.` })
    }
    await world.sleep(wait, signal)
  }
}

/** Treats network errors, 429 and 5xx as `pending`, so a short outage does not end the wait. */
async function askTolerantly(
  ask: () => Promise<VerificationStatus>,
): Promise<{ status: string; retryAfterMs: number }> {
  try {
    return { status: (await ask()).status, retryAfterMs: 0 }
  } catch (error) {
    if (!(error instanceof VidimusError)) throw error
    const passing = error.status === null || error.status === 429 || error.status >= 500
    if (!passing) throw error
    return { status: 'pending', retryAfterMs: (error.retryAfterSeconds ?? 0) * 1000 }
  }
}
