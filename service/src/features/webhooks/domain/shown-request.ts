// A webhook's request as the dashboard shows it.

export interface ShownRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** null: the viewer may not see the body, or it no longer exists. */
  readonly body: string | null
}
