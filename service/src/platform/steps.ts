// Long work in small steps, each whole in itself; whatever is left waits for the next run.

export interface Steps {
  /** A step that did fewer has found the end. */
  readonly rowsEach: number
  readonly stepsMax: number
  readonly stopped: AbortSignal
}

/** How many rows in all. */
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
