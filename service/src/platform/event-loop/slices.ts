// Runs long work in slices, so that the event loop can do other work in between.

/** How many steps run without a pause. The slowest step reads a certificate; a slice of such steps takes about 2 ms. */
const STEPS = 25

/** `steps` yields at each point where the work may pause. */
export async function inSlices<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    for (let step = 0; step < STEPS; step++) {
      const { done, value } = steps.next()
      if (done === true) return value
    }
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

export function atOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
