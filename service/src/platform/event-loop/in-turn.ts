// Lets long work of many callers take turns of the event loop, so that a crowd of them holds up no one else.

/** A turn begins no more work after this time. What one caller does until its next `await` has its own limits. */
const TURN_MS = 4

/** By owner, in the order in which owners are served. */
const waiting = new Map<string, (() => void)[]>()
let isServing = false

/**
 * Resolves in this turn of the event loop if callers before have left time in it, otherwise in a later one. Owners, such
 * as tenants, take turns. Call it before long work, and after whatever many callers have waited for together.
 */
export const inTurn = (owner: string): Promise<void> => new Promise((go) => void goInTurn(owner, go))

/** Like `inTurn`, for short work if there are few bytes. */
export async function inTurnIfLong(owner: string, bytes = 0): Promise<void> {
  if (bytes >= LONG_BYTES) await inTurn(owner)
}

const LONG_BYTES = 1024

/** Like `inTurn`, for a function that throws nothing. */
export function goInTurn(owner: string, go: () => void): void {
  const own = waiting.get(owner)
  if (own === undefined) waiting.set(owner, [go])
  else own.push(go)
  if (isServing) return
  isServing = true
  setImmediate(serve)
}

function serve(): void {
  const endsAt = performance.now() + TURN_MS
  const serveNext = () => {
    const go = takeNext()
    if (go === undefined) {
      isServing = false
      return
    }
    go()
    // Runs once the caller, and all that it continues, waits for something else.
    queueMicrotask(() =>
      process.nextTick(() => {
        if (performance.now() < endsAt) serveNext()
        else setImmediate(serve)
      }),
    )
  }
  serveNext()
}

function takeNext(): (() => void) | undefined {
  const [first] = waiting
  if (first === undefined) return undefined
  const [owner, own] = first
  const go = own.shift()
  waiting.delete(owner)
  if (own.length > 0) waiting.set(owner, own)
  return go
}
