// A webhook's request as the dashboard shows it.

export interface ShownRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** null: the viewer may not see it, or it is gone. */
  readonly body: string | null
}
