// An answer of the application as tests look at it.

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  readonly text: string
  /** The body as JSON; asserting on it is the test's business. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  readonly json: any
}
