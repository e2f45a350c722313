import type { MailWords } from './words.ts'

export const en: MailWords = {
  footer: (host) => `Sent by Vidimus at ${host}. Replies to this e-mail are not read.`,
  once: (until) => `The link works once, until ${until}.`,
  roles: { owner: 'an owner', admin: 'an admin', viewer: 'a viewer' },
  invitation: {
    subject: (tenant) => `Join ${tenant} on Vidimus`,
    lead: (tenant, role) => `${tenant} invites you to join its team on Vidimus as ${role}.`,
    accept: 'Accept the invitation',
    unexpected: 'If you did not expect this e-mail, ignore it. No account is created without you.',
  },
  lostAccess: {
    subject: 'Choose a new password',
    lead: 'You asked for a new password for your Vidimus account. This link lets you choose one and signs you in.',
    replaces: 'Your old password and your passkeys stop working then, and all other sessions end.',
    go: 'Choose a new password',
    goTo: (tenants) => `Choose a new password for ${tenants}`,
    sameBrowser: 'Open it in the browser in which you asked for it.',
    unexpected: 'If you did not ask for it, ignore this e-mail. Your password stays as it is.',
  },
  verificationLink: {
    test: 'Test',
    subject: (merchant) => `${merchant} asks you to confirm something`,
    lead: (merchant) => `${merchant} asks you to confirm something with the digital ID in your wallet.`,
    purpose: (purpose) => `Purpose: ${purpose}`,
    consent: 'The next page shows what is asked. Your wallet sends nothing before you agree.',
    open: 'See the request',
    until: (time) => `The link works until ${time}.`,
    onBehalfOf: (tenant) => `The request is sent for ${tenant}.`,
    unexpected: (merchant) =>
      `If you do not know ${merchant}, ignore this e-mail. Your address was used for this e-mail only and is deleted after it is sent.`,
  },
  alert: {
    quota: (tenant, percent, used, quota) => ({
      subject: `${tenant}: ${percent} % of the daily quota used`,
      paragraphs: [
        `${tenant} has created ${used} of ${quota} verifications today.`,
        'When the quota is used up, further verifications are refused until midnight UTC.',
      ],
    }),
    webhooks: (tenant, host, since, isDisabled) => ({
      subject: `${tenant}: webhooks to ${host} fail`,
      paragraphs: [
        `Webhooks of ${tenant} to ${host} have failed since ${since}.`,
        isDisabled
          ? 'They are no longer sent there. Fix the receiver and turn the destination on again.'
          : 'They are retried. If they keep failing for five days, they are no longer sent there.',
      ],
    }),
    open: 'Open the dashboard',
    unsubscribe: 'Turn off these e-mails',
  },
  newSignIn: {
    subject: 'New sign-in to your account',
    lead: (time, method) => `Your Vidimus account was used to sign in from a new browser on ${time}, ${method}.`,
    methods: {
      password: 'with a password',
      passkey: 'with a passkey',
      link: 'with a one-time link',
      oidc: 'through your company’s sign-in',
    },
    yours: 'If it was you, there is nothing to do.',
    notYours: 'If it was not you, sign in, choose a new password and end the other sessions.',
    open: 'Open your account',
  },
  test: {
    subject: 'Test e-mail from Vidimus',
    lead: 'Your mail server accepted this e-mail. Vidimus can now send invitations and links for new passwords.',
  },
}
