// The table of contents of the docs, in reading order. A guide outside all chapters is reached only by links.

export interface GuideEntry {
  /** Below /docs/. */
  readonly path: string
  /** From the root of the project. */
  readonly file: string
  readonly title: string
  /** One sentence: on the first page, and for search engines. */
  readonly about: string
  /** Operations whose samples are shown next to it. */
  readonly samples?: readonly string[]
}

interface Chapter {
  readonly title: string
  readonly guides: readonly GuideEntry[]
}

const guide = (name: string, title: string, about: string, samples?: readonly string[]): GuideEntry => ({
  path: name,
  file: `docs/${name}.md`,
  title,
  about,
  ...(samples === undefined ? {} : { samples }),
})
const client = (name: string, title: string, about: string): GuideEntry => ({
  path: `clients/${name}`,
  file: `sdk/${name}/README.md`,
  title,
  about,
})

export const CHAPTERS: readonly Chapter[] = [
  {
    title: 'Get started',
    guides: [
      guide('quickstart', 'Quick start', 'From nothing to a verified age in five minutes, with the test wallet.', [
        'createVerification',
      ]),
      guide('i-want-to', 'I want to …', 'The shortest way for each job, and where to read on.'),
      guide('templates', 'Templates and questions', 'What to ask for: built-in templates, and questions of your own.', [
        'createVerification',
        'listTemplates',
      ]),
      guide('results', 'Getting the result', 'Poll, read, redeem or get a webhook: four ways to get the result.', [
        'getVerification',
        'redeemResponseCode',
      ]),
      guide('webhooks', 'Webhooks', 'Signed events when a verification has ended, and how to check them.', [
        'verifyWebhook',
      ]),
    ],
  },
  {
    title: 'Ask people',
    guides: [
      guide('hosted-page', 'The hosted page', 'The page that asks for you, in your name and colours.', [
        'createVerification',
      ]),
      guide(
        'links',
        'Links',
        'An address for e-mails, text messages, invoices and posters that asks when it is opened.',
        ['createLink'],
      ),
      guide(
        'browser-wallets',
        'Wallets through the browser',
        'One button on your own page: the Digital Credentials API.',
      ),
      guide(
        'devices',
        'Tills and devices',
        'A till at the counter: pairing, tokens, kiosk mode, a screen for the guest.',
        ['registerDevice', 'enrollDevice'],
      ),
      guide('oidc', 'Sign in with a wallet', 'Vidimus as an OpenID provider, for every OpenID client.'),
    ],
  },
  {
    title: 'Keep less',
    guides: [
      guide(
        'forgetting',
        'Forward and forget',
        'Delete content as soon as you have read it, or have it encrypted to your own key.',
        ['forgetVerification', 'getVerificationVerdict'],
      ),
      guide('erasure', 'Erasure and retention', 'Delete a verification and everything derived from it.', [
        'eraseVerification',
      ]),
      guide('transaction-data', 'Consent', 'Payments and approvals that a holder agrees to and signs.'),
      guide('zk-verifier', 'Proofs', 'Zero-knowledge proofs: a wallet proves a fact without showing the document.'),
      guide('evidence', 'Evidence', 'Receipts, the public log and its witnesses: what you can prove later.'),
      guide('security', 'Security', 'What to watch for in your own integration.'),
    ],
  },
  {
    title: 'Go live',
    guides: [
      guide('going-live', 'Going live', 'Certificates, trust lists and the seven steps to a live environment.'),
      guide('registration', 'Registration', 'Register as a relying party: intended uses and their certificates.'),
      guide('intermediary', 'Asking for others', 'The duties of an intermediary, and who meets them.'),
      guide('sandbox-registrar', 'The sandbox registrar', 'Try registration before you have a register.'),
    ],
  },
  {
    title: 'Client libraries',
    guides: [
      client('typescript', 'TypeScript', 'Node, Deno, Bun and edge runtimes; the web component.'),
      client('python', 'Python', 'Python 3.9 and newer, standard library only.'),
      client('php', 'PHP', 'PHP 8.1 and newer, without dependencies.'),
      client('go', 'Go', 'Go 1.21 and newer, standard library only.'),
    ],
  },
  {
    title: 'Operate',
    guides: [
      guide('operating', 'Operating Vidimus', 'Install, configure, watch, back up and upgrade.'),
      guide('keys-outside', 'Keys outside of the process', 'Have an HSM sign, and wrap the master key with it.'),
      guide('mail', 'Mail', 'Connect your mail server: invitations, lost passwords, alerts and links to people.'),
      guide(
        'setup',
        'Set-up by a file',
        'Tenants, keys, templates and trust from one file, for any number of tenants.',
      ),
      guide('capacity', 'Capacity', 'What one verification costs, and how many a machine can handle.'),
      guide('metrics', 'Metrics', 'Every metric, its labels and its meaning.'),
      guide('runbook', 'Runbook', 'What to do when an alert fires: symptom, cause, command.'),
      guide('settings', 'Settings of a tenant', 'Every setting, and what it changes for the holder.'),
      guide('conformance', 'Conformance suite', "Run the OpenID Foundation's suite against your installation."),
      guide('oidc-conformance', 'OpenID conformance', 'What certification requires of the provider.'),
      guide('wallets', 'Tried with wallets', 'Which wallet programs answered which flows, and what does not work.'),
      guide('interface', 'The interface', 'The specification of objects, routes and rules, sentence by sentence.'),
      guide('divergences', 'Divergences', 'Where we are stricter than a text we follow, and why.'),
    ],
  },
  {
    title: 'Reference',
    guides: [
      guide('errors', 'Errors', 'Every code, what it means and what to do about it.', ['error']),
      {
        path: 'changelog',
        file: 'CHANGELOG.md',
        title: 'Changelog',
        about: 'What a merchant, a device, a wallet or an operator can notice.',
      },
    ],
  },
]

export const GUIDES: readonly GuideEntry[] = CHAPTERS.flatMap(({ guides }) => guides)

/** For developers of Vidimus itself: not part of the docs site. */
export const NOT_SHOWN = ['docs/testing.md', 'docs/font-licences.md'] as const
