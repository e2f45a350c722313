// English. The type of every other language.

import { enAsking } from './en/asking.ts'
import { enBranding } from './en/branding.ts'
import { enFinding } from './en/finding.ts'
import { enOutcomes } from './en/outcomes.ts'
import { enOverview } from './en/overview.ts'
import { enPages } from './en/pages.ts'
import { enProof } from './en/proof.ts'
import { enRegistration } from './en/registration.ts'
import { enResultKeys } from './en/result-keys.ts'
import { enUsage } from './en/usage.ts'

export const en = {
  product: 'Vidimus',
  language: 'Language',
  theme: 'Colours',
  themes: { system: 'Auto', light: 'Light', dark: 'Dark' },
  skip: 'Skip to the content',
  menu: 'Menu',
  groups: { connect: 'Connect', approval: 'Approval', company: 'Company' },
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  saved: 'Saved',
  copy: 'Copy',
  copied: 'Copied',
  older: 'Older',
  newest: 'Newest',
  none: 'none',
  never: 'never',
  justNow: 'just now',
  loading: 'Loading …',
  tenant: 'Company',
  environment: 'Environment',
  test: 'Test',
  live: 'Live',
  testRibbon: 'Nothing here concerns real people.',
  signOut: 'Sign out',
  account: 'Your account',
  accountMenu: 'Account menu',
  docs: 'Documentation',
  docsShort: 'Docs',
  notFound: 'There is no such page.',
  toStart: 'To the start page',
  unsavedTitle: 'This page has changes that are not saved',
  unsavedLead: 'If you leave now they are lost.',
  unsaved: 'You have not saved this. Close it all the same?',
  discard: 'Discard',
  keepEditing: 'Keep editing',
  noTenant: 'You do not belong to a company here. Ask for a new invitation link.',
  roles: { owner: 'Owner', admin: 'Admin', viewer: 'Viewer' },
  needsRole: 'Your role does not allow this.',
  /** What is wrong with a field; `limit` is the number that counts. */
  fieldProblems: {
    missing: (_limit: string) => 'Fill in this field.',
    tooShort: (limit: string) => `Use at least ${limit} characters.`,
    tooSmall: (limit: string) => `Enter ${limit} or more.`,
    tooLarge: (limit: string) => `Enter ${limit} or less.`,
    tooEarly: (limit: string) => `Choose a time after ${limit}.`,
    tooLate: (limit: string) => `Choose a time before ${limit}.`,
    notEmail: (_limit: string) => 'Enter an e-mail address, such as name@example.com.',
    notUrl: (_limit: string) => 'Enter a full address that begins with https://.',
    other: (_limit: string) => 'This is not in the right form.',
  },
  errors: {
    title: 'That did not work',
    request: 'Request',
    unreachable: 'The service cannot be reached. Check your connection.',
    again: 'Try again',
    /** By code, where the service's own words would be another language, or do not reach the page. */
    codes: {
      oidc_round_lost:
        'This sign-in was not begun in this browser, was used already, or took too long. Please begin again.',
      oidc_declined: 'The provider did not sign you in.',
      oidc_not_proven:
        'The provider’s answer could not be verified, so you were not signed in. Give your operator the request id.',
      oidc_email_not_verified: 'The provider has not verified an e-mail address of yours.',
      oidc_not_invited:
        'You are not invited here. Ask an owner of your company for an invitation to the address you have at the provider.',
      oidc_account_bound:
        'Your account here belongs to another one at the provider. Ask your operator for a new link (“vidimus user invite”).',
      oidc_other_person: 'You signed in at the provider with another account.',
      oidc_unavailable:
        'The provider cannot be reached or does not answer as it should. Sign in another way, or try again later.',
      rate_limit_exceeded: 'Too many requests; try again shortly.',
      unavailable: 'The service cannot take this request now; try again shortly.',
    } as Record<string, string>,
  },
  lostAccess: {
    way: 'Forgot your password?',
    title: 'Choose a new password',
    lead: 'We send a link to the e-mail address of your account.',
    send: 'Send the link',
    back: 'Back to sign-in',
    sentTitle: 'Check your e-mail',
    sent: 'If an account with a password belongs to this address, a link is on its way.',
    sentNext:
      'It works for 15 minutes, in this browser. No e-mail? Check your spam folder. If you sign in with a passkey or through your company, ask your operator for a new link.',
    choose: 'Choose a new password',
    replaces: 'Your old password and your passkeys stop working, and all other sessions end.',
    invalid: 'This link does not work: it was used, has expired, or you asked for it in another browser.',
    again: 'Ask for a new link',
  },
  signIn: {
    title: 'Sign in',
    lead: 'For merchant staff.',
    email: 'E-mail',
    password: 'Password',
    submit: 'Sign in',
    passkey: 'Use a passkey',
    provider: (name: string) => `Sign in with ${name}`,
    providerAgain: 'With the provider you leave this page and come back to it; then do it once more.',
    or: 'or',
    passkeyFailed: 'The passkey was not used. Try again, or sign in with your password.',
    help: 'No account? Ask an owner of your company for an invitation. Lost access? Your operator can give you a new link with “vidimus user invite”.',
    again: 'Sign in again',
    againWhy: 'You are about to do something sensitive. Please confirm that it is you.',
    ended: 'Your session has ended',
    endedLead: 'Sign in again and go on where you were. What you have written is still there.',
    endedProvider: 'With the provider you leave this page: what is not saved is lost.',
    asAnother: 'Sign in with another account',
  },
  link: {
    title: 'Welcome',
    about: (tenant: string, role: string) => `You are invited to ${tenant} as ${role}.`,
    as: 'Your sign-in name is',
    password: 'Choose a password',
    passwordHint: (min: number) => `At least ${min} characters. A few words are easier to remember than symbols.`,
    showPassword: 'Show what I type',
    optional: 'You may leave it empty and add a passkey afterwards.',
    go: 'Continue',
    signInFirst: 'There is an account with this address already. Sign in, then the invitation is added to it.',
    accept: 'Accept the invitation',
    notMine:
      'Is this account not yours, or can you not sign in to it? Open another for this invitation alone, with a password of its own.',
    openAnother: 'Open another account',
    invalid: 'This link does not work (any more). It opens one sign-in, and only for a while.',
    invalidNext: 'Have you used it before? Then sign in. Otherwise ask the sender for a new one.',
    toSignIn: 'To the sign-in',
  },
  me: {
    title: 'Your account',
    noWayIn: 'You have no password and no passkey yet: add one now, or you will need a new link next time.',
    passkeys: 'Passkeys',
    passkeysLead: 'Sign in with your fingerprint, face or device PIN. Cannot be phished.',
    addPasskey: 'Add a passkey',
    passkeyName: 'What do you call this device?',
    remove: 'Remove',
    added: 'added',
    used: 'last used',
    password: 'Password',
    changePassword: 'Change the password',
    setPassword: 'Set a password',
    newPassword: 'New password',
    passwordChanged: 'Your password is changed. Other sessions are ended.',
    signedInThrough: (name: string) =>
      `You are signed in through ${name}. Signing out here leaves you signed in there.`,
    connected: (name: string) => `You may sign in through ${name} too.`,
    connectLead: (name: string) =>
      `Connect your account with ${name}, and sign in through it from then on. Password and passkeys stay.`,
    connect: (name: string) => `Connect with ${name}`,
    sessions: 'Other sessions',
    endOthers: 'Sign out everywhere else',
    ended: (n: number) => `Sessions ended: ${n}`,
  },
  alertMails: {
    title: 'Alerts by e-mail',
    lead: (company: string, email: string) => `For ${company}, to ${email}. Each e-mail has a link that turns it off.`,
    off: 'This service sends no e-mail. Your operator can turn it on.',
    topics: {
      quota: { label: 'Daily quota', hint: 'When 80 % and when all of today’s quota is used.' },
      webhooks: {
        label: 'Failing webhooks',
        hint: 'When deliveries to a destination fail for a day, and when it is turned off.',
      },
    },
  },
  ...enPages,
  ...enRegistration,
  branding: enBranding,
  ...enAsking,
  links: { title: 'Links', create: 'New link' },
  ...enFinding,
  ...enOverview,
  ...enUsage,
  ...enResultKeys,
  proof: enProof,
  ...enOutcomes,
}

export type Words = typeof en
