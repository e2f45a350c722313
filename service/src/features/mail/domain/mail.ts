// A mail that waits to be sent: its kinds and contents, the limits of each kind, and its retries.

import { domainToASCII } from 'node:url'
import type { Language } from '../../../../../labels/catalogue.ts'
import type { Instant } from '../../../platform/world.ts'

/** The values in the text of a mail, by kind. */
export interface MailContents {
  readonly invitation: {
    readonly tenantName: string
    readonly role: string
    readonly url: string
    readonly until: Instant
  }
  /** Goes to a person whom a merchant asks. All other kinds are only for staff. */
  readonly verification_link: {
    readonly merchant: string
    readonly tenantName: string
    readonly purpose: string | null
    readonly isTest: boolean
    readonly url: string
    readonly until: Instant
  }
  /** Goes to staff who subscribed. */
  readonly alert: {
    readonly tenantName: string
    readonly facts: AlertFacts
    readonly url: string
    /** The link that ends the subscription without a sign-in. */
    readonly unsubscribe: string
  }
  readonly new_sign_in: { readonly method: string; readonly at: Instant; readonly url: string }
  readonly lost_access: { readonly links: readonly AccountLink[]; readonly until: Instant }
}
export type AlertFacts =
  | { readonly topic: 'quota'; readonly percent: number; readonly used: number; readonly quota: number }
  | { readonly topic: 'webhooks'; readonly host: string; readonly since: Instant; readonly isDisabled: boolean }

/** One for each account with the address. */
interface AccountLink {
  readonly tenantNames: readonly string[]
  readonly url: string
}

export type MailKind = keyof MailContents

export type Mail = {
  readonly [K in MailKind]: {
    readonly kind: K
    readonly to: string
    readonly language: Language
    readonly values: MailContents[K]
  }
}[MailKind]

/**
 * Half of `perTenant` and of `total` is reserved for mailboxes without a mail in these hours. So a stranger who
 * requests many mails to a few addresses does not block mails to others.
 */
interface MailBounds {
  readonly hours: number
  readonly perMailbox: number
  readonly perTenant: number
  readonly total: number
}

/**
 * How many mails of a kind may be queued within this many hours. The recipient did not choose to get them, so these
 * limits prevent flooding. docs/operating.md shows this table.
 */
export const MAIL_BOUNDS: Readonly<Record<MailKind, MailBounds>> = {
  invitation: { hours: 24, perMailbox: 5, perTenant: 100, total: 2_000 },
  verification_link: { hours: 24, perMailbox: 5, perTenant: 1_000, total: 10_000 },
  alert: { hours: 24, perMailbox: 20, perTenant: 500, total: 5_000 },
  new_sign_in: { hours: 24, perMailbox: 10, perTenant: 500, total: 5_000 },
  lost_access: { hours: 1, perMailbox: 5, perTenant: 100, total: 500 },
}

/** How long a row stays without its content, so that the limits count it. */
export const COUNTED_MS = 25 * 3_600_000

const MINUTE_MS = 60_000
/** The pause after each failed attempt. Greylisting servers accept after 5 to 15 minutes. */
const RETRY_MS = [1, 5, 15, 30, 60, 120, 240, 480].map((minutes) => minutes * MINUTE_MS)

/** null if there is no further attempt. `attempts` includes the one that just failed. */
export function nextMailAttemptMs(attempts: number, nowMs: number, expiresAtMs: number): number | null {
  const pause = RETRY_MS[attempts - 1]
  return pause === undefined || nowMs + pause >= expiresAtMs ? null : nowMs + pause
}

export const mailSealContext = (id: string) => `mails.sealed|${id}`

/**
 * Whether mail can be sent to an address: one mailbox, without quoting, comments or characters that could end a header
 * or a command (RFC 5321 §4.1.2, RFC 6531 §3.3).
 */
export function isMailable(address: string): boolean {
  const at = address.lastIndexOf('@')
  return (
    at > 0 &&
    /^[^\s@<>"(),:;\\[\]\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,64}$/u.test(address.slice(0, at)) &&
    isDomain(address.slice(at + 1))
  )
}

/** A host name: no empty label, and the last label is not a number, as it is in an IP address. */
const isDomain = (domain: string): boolean =>
  /^[\p{L}\p{N}\p{M}.-]{1,189}$/u.test(domain) &&
  /^(?:[a-z0-9-]{1,63}\.)*(?!\d+$)[a-z0-9-]{1,63}$/.test(domainToASCII(domain))

/**
 * Returns the mailbox of an address, for counting. Domains have several spellings, and many providers ignore dots and
 * everything after a plus.
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@')
  const local = address.slice(0, at).normalize('NFKC').toLowerCase()
  return `${local.replace(/(?<=.)\+.*/, '').replaceAll('.', '')}@${domainToASCII(address.slice(at + 1))}`
}

const SHOWN_MAX = 60

/** Returns a tenant's text in a mail: one short line in which no mail program detects a link. */
export function plainLine(text: string): string {
  const line = text
    .normalize('NFC')
    .replace(/[\p{C}\p{Zl}\p{Zp}/@:<>\\／＠：]+/gu, ' ')
    // Also characters that programs treat as a dot in a host name (UTS 46).
    .replace(/[.．。｡․](?=\S)/g, '. ')
    .replace(/\s+/g, ' ')
    .trim()
  const characters = [...line]
  return characters.length <= SHOWN_MAX
    ? line
    : `${characters
        .slice(0, SHOWN_MAX - 1)
        .join('')
        .trimEnd()}…`
}
