// A webhook's request as the dashboard shows it.

export interface ShownRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** null: the viewer may not see the body, it no longer exists, or only the newest attempt shows it, because it is long. */
  readonly body: string | null
}
