// What is told of the course of a request to a collector of traces. What is behind it is loaded only where an operator has one.

export interface Traces {
  /** `traceparent` (W3C): the trace that it is part of; null begins one. */
  begin(asked: Asked): RequestSpan
  /** Periodic work is a trace of its own. */
  job<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Below what is under way in this context; of what belongs to no request and no job nothing is told. */
  note(step: Step): void
  /** Puts work that is done later, together with others', back into the context of now. */
  remember(): <T>(work: () => T) => T
  /** Sends what is left, for a second at most. */
  close(): Promise<void>
}

export interface Asked {
  readonly method: string
  /** The pattern, never the path. */
  readonly route: string
  readonly traceparent: string | null
}

export interface RequestSpan {
  readonly traceId: string
  /** Whatever `work` begins is done for this request. */
  run(work: () => void): void
  end(status: number, code: string | null): void
}

interface Timed {
  /** By performance.now(). */
  readonly sentAt: number
  readonly tookMs: number
}

export type Step =
  | (Timed & { readonly kind: 'statement'; readonly name: string; readonly failed: boolean })
  | (Timed & { readonly kind: 'outbound'; readonly method: string; readonly outcome: string })
