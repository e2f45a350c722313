// The texts of mails in English.

import type { MailWords } from './words.ts'

export const en: MailWords = {
  footer: (host) => `Sent by Vidimus at ${host}. Please do not reply: this mailbox is not read.`,
  once: (until) => `You can use this link once, until ${until}.`,
  orOpen: 'If the button does not work, open this address:',
  roles: { owner: 'an owner', admin: 'an admin', viewer: 'a viewer' },
  invitation: {
    subject: (tenant) => `You are invited to join ${tenant} on Vidimus`,
    lead: (tenant, role) => `${tenant} has invited you to its team on Vidimus as ${role}.`,
    accept: 'Accept the invitation',
    unexpected: 'Not expecting this? You can ignore this e-mail. An account is created only if you accept.',
  },
  lostAccess: {
    subject: 'Choose a new password',
    lead: 'You asked for a new password for your Vidimus account. Use this link to choose one. It also signs you in.',
    replaces: 'Your old password and your passkeys will then stop working, and all other sessions end.',
    go: 'Choose a new password',
    goTo: (tenants) => `Choose a new password for ${tenants}`,
    sameBrowser: 'Open the link in the browser where you asked for it.',
    unexpected: 'Did not ask for it? You can ignore this e-mail. Your password has not changed.',
  },
  verificationLink: {
    test: 'Test',
    subject: (merchant) => `${merchant}: please confirm with your digital ID`,
    lead: (merchant) => `${merchant} asks you to confirm something with your digital ID.`,
    purpose: (purpose) => `Reason: ${purpose}`,
    consent:
      'For your privacy, this e-mail does not say what is asked. You see it on the next page. Nothing is shared until you agree in your wallet.',
    open: 'View the request',
    until: (time) => `This link works until ${time}.`,
    unexpected: (merchant) =>
      `Do not know ${merchant}? You can ignore this e-mail. We used your address only to send it, and delete it afterwards.`,
  },
  alert: {
    quota: (tenant, percent, used, quota) => ({
      subject: `${tenant}: ${percent}% of the daily quota used`,
      paragraphs: [
        `${tenant} has created ${used} of ${quota} verifications today.`,
        'When the quota is used up, further verifications are refused until midnight UTC.',
      ],
    }),
    webhooks: (tenant, host, since, isDisabled) => ({
      subject: `${tenant}: webhooks to ${host} are failing`,
      paragraphs: [
        `${tenant}’s webhooks to ${host} have been failing since ${since}.`,
        isDisabled
          ? 'We have stopped sending webhooks there. Fix the receiver, then turn the destination on again.'
          : 'We keep retrying. After five days of failures, we stop sending webhooks there.',
      ],
    }),
    open: { quota: 'View usage', webhooks: 'View webhooks' },
    unsubscribe: 'Turn off these e-mails',
  },
  newSignIn: {
    subject: 'New sign-in to your account',
    lead: (time, method) => `There was a sign-in to your Vidimus account from a new browser on ${time}, ${method}.`,
    methods: {
      password: 'with a password',
      passkey: 'with a passkey',
      link: 'with a one-time link',
      oidc: 'through your company’s sign-in',
    },
    yours: 'If this was you, you do not need to do anything.',
    notYours: 'If this was not you, sign in, choose a new password and end all other sessions.',
    open: 'Open your account',
  },
  test: {
    subject: 'Test e-mail from Vidimus',
    lead: 'Your mail server accepted this e-mail. Vidimus can now send invitations and links for new passwords.',
  },
}
