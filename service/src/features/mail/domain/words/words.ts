// The words of mails, the same for each language.

export interface MailWords {
  readonly footer: (host: string) => string
  readonly once: (until: string) => string
  /** As in "join as …". */
  readonly roles: Readonly<Record<string, string>>
  readonly invitation: {
    readonly subject: (tenant: string) => string
    readonly lead: (tenant: string, role: string) => string
    readonly accept: string
    readonly unexpected: string
  }
  readonly signIn: {
    readonly subject: string
    readonly lead: string
    readonly go: string
    readonly goTo: (tenants: string) => string
    readonly sameBrowser: string
    readonly unexpected: string
  }
  readonly newSignIn: {
    readonly subject: string
    readonly lead: (time: string, method: string) => string
    readonly methods: Readonly<Record<string, string>>
    readonly yours: string
    readonly notYours: string
    readonly open: string
  }
  readonly usage: {
    readonly subject: (tenant: string, percent: number) => string
    readonly lead: (used: number, quota: number) => string
    readonly remedy: string
    readonly open: string
  }
  readonly webhooks: {
    readonly subject: (tenant: string) => string
    readonly lead: (environment: string) => string
    readonly remedy: string
    readonly open: string
  }
  /** Why the reader gets an alert, and how to end it. */
  readonly subscribed: string
  readonly test: { readonly subject: string; readonly lead: string }
}
