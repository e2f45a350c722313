// An answer of the application, for tests.

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  readonly text: string
  /** The body as JSON; the tests assert on it. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of the answer
  readonly json: any
}
