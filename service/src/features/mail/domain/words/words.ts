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
  readonly lostAccess: {
    readonly subject: string
    readonly lead: string
    readonly replaces: string
    readonly go: string
    readonly goTo: (tenants: string) => string
    readonly sameBrowser: string
    readonly unexpected: string
  }
  readonly verificationLink: {
    readonly test: string
    readonly subject: (merchant: string) => string
    readonly lead: (merchant: string) => string
    readonly purpose: (purpose: string) => string
    readonly consent: string
    readonly open: string
    readonly until: (time: string) => string
    readonly onBehalfOf: (tenant: string) => string
    readonly unexpected: (merchant: string) => string
  }
  readonly newSignIn: {
    readonly subject: string
    readonly lead: (time: string, method: string) => string
    readonly methods: Readonly<Record<string, string>>
    readonly yours: string
    readonly notYours: string
    readonly open: string
  }
  readonly test: { readonly subject: string; readonly lead: string }
}
