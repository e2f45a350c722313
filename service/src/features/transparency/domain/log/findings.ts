// What a check proved and what it did not prove, in sentences.

export interface LogFindings {
  /** `lost`: it was valid, and a declared restore of the log has removed it. */
  readonly outcome: 'proven' | 'broken' | 'lost'
  readonly proven: readonly string[]
  readonly notProven: readonly string[]
}

export const broken = (why: string): LogFindings => ({ outcome: 'broken', proven: [], notProven: [why] })

export const NO_WITNESS = 'that everyone sees the same log: none of the given witnesses has cosigned this checkpoint'
export const NOT_THE_RESULT = 'what the result was: this needs the result and its salt (`vidimus receipt verify`)'
export const NOT_COMPLETE = 'that nothing is missing from the log that should be in it'

export function renderFindings({ outcome, proven, notProven }: LogFindings): string {
  const lines = (title: string, sentences: readonly string[]) =>
    sentences.length === 0 ? [] : [title, ...sentences.map((sentence) => `  - ${sentence}`)]
  const all =
    outcome === 'broken'
      ? lines('Broken:', notProven)
      : outcome === 'lost'
        ? [...lines('Lost:', notProven), ...lines('Proven:', proven)]
        : [...lines('Proven:', proven), ...lines('Not proven:', notProven)]
  return all.join('\n')
}
