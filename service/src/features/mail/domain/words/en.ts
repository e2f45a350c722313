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
  signIn: {
    subject: 'Your sign-in link',
    lead: 'Use this link to sign in to Vidimus. Then choose a new password under “Your account”.',
    go: 'Sign in',
    goTo: (tenants) => `Sign in to ${tenants}`,
    sameBrowser: 'Open it in the browser in which you asked for it.',
    unexpected: 'If you did not ask for it, ignore this e-mail. Your password stays as it is.',
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
  usage: {
    subject: (tenant, percent) => `${tenant}: ${percent} % of today’s quota used`,
    lead: (used, quota) => `${used} of ${quota} verifications of today’s quota are used.`,
    remedy: 'Once the quota is used up, new verifications are refused until midnight (UTC).',
    open: 'Open usage',
  },
  webhooks: {
    subject: (tenant) => `${tenant}: webhooks are failing`,
    lead: (environment) => `A receiver of your ${environment} webhooks does not accept them.`,
    remedy: 'Check the receiver. You can resend failed webhooks from the dashboard.',
    open: 'Open webhooks',
  },
  subscribed: 'You receive this alert because you turned it on under “Your account”. You can turn it off there.',
  test: {
    subject: 'Test e-mail from Vidimus',
    lead: 'Your mail server accepted this e-mail. Vidimus can now send invitations, sign-in links and alerts.',
  },
}
