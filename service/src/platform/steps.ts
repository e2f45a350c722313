// Runs a limited number of steps of a long job; the rest waits for the next run.

export interface Steps {
  /** A step with fewer rows is the last step. */
  readonly rowsEach: number
  readonly stepsMax: number
  readonly stopped: AbortSignal
}

/** Returns the total number of rows. */
export async function runInSteps(step: () => Promise<number>, { rowsEach, stepsMax, stopped }: Steps): Promise<number> {
  let total = 0
  for (let steps = 0; steps < stepsMax; steps += 1) {
    stopped.throwIfAborted()
    const count = await step()
    total += count
    if (count < rowsEach) break
  }
  return total
}
