// The type of the texts of mails, the same for each language.

interface AlertText {
  readonly subject: string
  readonly paragraphs: readonly string[]
}

export interface MailWords {
  readonly footer: (host: string) => string
  readonly once: (until: string) => string
  readonly orOpen: string
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
    readonly unexpected: (merchant: string) => string
  }
  readonly alert: {
    readonly quota: (tenant: string, percent: number, used: string, quota: string) => AlertText
    readonly webhooks: (tenant: string, host: string, since: string, isDisabled: boolean) => AlertText
    readonly open: { readonly quota: string; readonly webhooks: string }
    readonly unsubscribe: string
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
