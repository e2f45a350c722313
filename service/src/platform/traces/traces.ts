// Defines the traces of requests. Their implementation is loaded only if the operator has a collector.

export interface Traces {
  /** `traceparent` (W3C): the parent trace. null starts a new trace. */
  begin(request: TracedRequest): RequestSpan
  /** A periodic job has its own trace. */
  job<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Adds a step below the current span. Work outside of a request or a job is not recorded. */
  note(step: Step): void
  /** Captures the current context, for work that runs later in a batch. */
  remember(): <T>(work: () => T) => T
  /** Sends the remaining spans. Takes a second at most. */
  close(): Promise<void>
}

export interface TracedRequest {
  readonly method: string
  /** The route pattern, never the path. */
  readonly route: string
  readonly traceparent: string | null
}

export interface RequestSpan {
  readonly traceId: string
  /** Everything that `work` starts belongs to the span of this request. */
  run(work: () => void): void
  end(status: number, code: string | null): void
}

interface Timed {
  /** When the step began, by performance.now(). */
  readonly sentAt: number
  readonly tookMs: number
}

export type Step =
  | (Timed & { readonly kind: 'statement'; readonly name: string; readonly failed: boolean })
  | (Timed & { readonly kind: 'outbound'; readonly method: string; readonly outcome: string })
