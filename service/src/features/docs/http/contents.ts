// The table of contents of the docs, in reading order. Other guides link to guides that are in no chapter.

export interface GuideEntry {
  /** The path below /docs/. */
  readonly path: string
  /** The path from the root of the project. */
  readonly file: string
  readonly title: string
  /** One sentence, for the first page and for search engines. */
  readonly about: string
  /** Operations whose samples are shown next to the guide. */
  readonly samples?: readonly string[]
  /** Words that a reader may search for, but that the page does not use. */
  readonly keywords?: string
  /** Lower for background, which is listed after the guides. Default: 1. */
  readonly searchWeight?: number
  /**
   * The language of the text; default: English. Guides in other languages are not in the contents: the English page
   * links to them.
   */
  readonly language?: 'de'
}

interface Chapter {
  readonly title: string
  readonly guides: readonly GuideEntry[]
}

type Extra = Pick<GuideEntry, 'samples' | 'keywords' | 'searchWeight' | 'language'>

const guide = (name: string, title: string, about: string, extra: Extra = {}): GuideEntry => ({
  path: name,
  file: `docs/${name}.md`,
  title,
  about,
  ...extra,
})
const client = (name: string, title: string, about: string, keywords: string): GuideEntry => ({
  path: `clients/${name}`,
  file: `sdk/${name}/README.md`,
  title,
  about,
  keywords,
  searchWeight: 0.8,
})

export const CHAPTERS: readonly Chapter[] = [
  {
    title: 'Get started',
    guides: [
      guide('quickstart', 'Quick start', 'From nothing to a verified age in five minutes, with the test wallet.', {
        samples: ['createVerification'],
        keywords: 'install tutorial hello world first demo getting started',
      }),
      guide(
        'without-code',
        'Without programming',
        'Ask by link, poster or till from the dashboard, without a developer.',
        {
          keywords: 'no code dashboard shop owner link qr poster till',
          searchWeight: 0.8,
        },
      ),
      guide('ohne-programmierung', 'Ohne Programmierung', 'Mit Link, Plakat oder Kasse fragen, auf Deutsch.', {
        language: 'de',
        keywords: 'no code link qr plakat kasse deutsch german',
        searchWeight: 0.7,
      }),
      guide('i-want-to', 'I want to …', 'The shortest way for each job, and where to read on.', {
        keywords: 'recipes jobs use cases how to',
        searchWeight: 0.7,
      }),
      guide('templates', 'Templates and queries', 'What to ask for: built-in templates, and queries of your own.', {
        samples: ['createVerification', 'listTemplates'],
        keywords: 'age verification dcql question attributes claims name date of birth custom',
      }),
      guide('results', 'Get the result', 'Poll, read, redeem or receive a webhook: four ways to the result.', {
        samples: ['getVerification', 'redeemResponseCode'],
        keywords: 'polling status response redirect outcome',
      }),
      guide('webhooks', 'Webhooks', 'Signed events when a verification has ended, and how to check them.', {
        samples: ['verifyWebhook'],
        keywords: 'callback notification hmac events localhost ngrok tunnel deliveries',
      }),
    ],
  },
  {
    title: 'Ways to ask',
    guides: [
      guide('hosted-page', 'Hosted page', 'The page that asks for you, with your name and colours.', {
        samples: ['createVerification'],
        keywords: 'branding logo theme font colors qr code checkout languages translation iframe',
      }),
      guide('links', 'Links', 'An address for e-mails, text messages, invoices and posters.', {
        samples: ['createLink'],
        keywords: 'sms text message e-mail qr poster invoice send share',
      }),
      guide('browser-wallets', 'Your own page', 'One button on your own page: the Digital Credentials API.', {
        keywords:
          'web component element embed button javascript dc api digital credentials browser wallets cors origin',
      }),
      guide(
        'devices',
        'Tills and devices',
        'A till at the counter: pairing, tokens, kiosk mode, a screen for the customer.',
        {
          samples: ['registerDevice', 'enrollDevice'],
          keywords: 'pos terminal point of sale tablet store shop counter',
        },
      ),
      guide('oidc', 'Sign in with a wallet', 'Vidimus as an OpenID provider, for every OpenID client.', {
        keywords: 'login sso oauth identity provider keycloak auth0 wordpress nextcloud',
      }),
    ],
  },
  {
    title: 'Privacy and evidence',
    guides: [
      guide(
        'privacy',
        'Data protection at a glance',
        'Who is responsible, what is stored and for how long, and rights.',
        {
          keywords: 'gdpr dpo controller processor article 28 30 record of processing',
          searchWeight: 0.9,
        },
      ),
      guide('datenschutz', 'Datenschutz auf einen Blick', 'Rollen, Daten, Fristen und Rechte, auf Deutsch.', {
        language: 'de',
        keywords: 'dsgvo datenschutzbeauftragter auftragsverarbeitung verzeichnis löschen deutsch german',
        searchWeight: 0.8,
      }),
      guide(
        'forgetting',
        'Forward and forget',
        'Delete content as soon as you have read it, or have it encrypted to your own key.',
        {
          samples: ['forgetVerification', 'getVerificationVerdict'],
          keywords: 'data minimisation encryption encrypted results zero storage privacy',
        },
      ),
      guide('erasure', 'Erasure and retention', 'Delete a verification and everything derived from it.', {
        samples: ['eraseVerification'],
        keywords: 'gdpr dsgvo delete user data personal right to be forgotten deletion purge privacy article 17',
      }),
      guide('transaction-data', 'Consent', 'Payments and approvals that a holder agrees to and signs.', {
        keywords: 'payment transaction signature approve psd2 sca',
      }),
      guide(
        'zk-verifier',
        'Zero-knowledge proofs',
        'A wallet proves a fact without showing the document: how to turn it on.',
        { keywords: 'zkp longfellow zero knowledge anonymous' },
      ),
      guide('evidence', 'Evidence', 'Receipts, the public log and its witnesses: what you can prove later.', {
        keywords: 'audit proof certificate pdf transparency log witness compliance',
      }),
      guide('security', 'Security', 'What to watch for in your own integration.', {
        keywords: 'phishing replay best practices checklist threat',
      }),
    ],
  },
  {
    title: 'Go live',
    guides: [
      guide('going-live', 'Going live', 'Certificates, trust lists and the seven steps to a live environment.', {
        keywords: 'go live production launch checklist trust anchors certificates deploy',
      }),
      guide('registration', 'Registration', 'Register as a relying party: intended uses and their certificates.', {
        keywords: 'relying party register eudi wrprc wrpac access certificate',
      }),
      guide('intermediary', 'Intermediaries', 'The duties of an intermediary, and who meets them.', {
        keywords: 'platform reseller marketplace intermediary agency',
      }),
      guide('sandbox-registrar', 'Sandbox registrar', 'Try registration before you have a register.', {
        keywords: 'test register fake registrar',
      }),
    ],
  },
  {
    title: 'Client libraries',
    guides: [
      client(
        'typescript',
        'TypeScript',
        'Node, Deno, Bun and edge runtimes; the web component.',
        'sdk javascript node npm',
      ),
      client('python', 'Python', 'Python 3.9 and newer, standard library only.', 'sdk pip django flask'),
      client('php', 'PHP', 'PHP 8.1 and newer, without dependencies.', 'sdk composer laravel wordpress'),
      client('go', 'Go', 'Go 1.21 and newer, standard library only.', 'sdk golang'),
    ],
  },
  {
    title: 'Reference',
    guides: [
      guide('errors', 'Errors', 'Every code, what it means and what to do about it.', {
        samples: ['error'],
        keywords: 'status codes exceptions failure reasons 400 401 403 404 409 429 500',
      }),
      {
        path: 'changelog',
        file: 'CHANGELOG.md',
        title: 'Changelog',
        about: 'Changes you can notice, by release.',
        keywords: 'release notes version upgrade new',
        searchWeight: 0.3,
      },
      guide('interface', 'Specification', 'The specification of objects, routes and rules, sentence by sentence.', {
        keywords: 'normative interface',
        searchWeight: 0.5,
      }),
      guide(
        'divergences',
        'Differences from the standards',
        'Where Vidimus is stricter than a standard it follows, and why.',
        {
          searchWeight: 0.4,
        },
      ),
      guide('wallets', 'Tested wallets', 'Which wallets answered which flows, and what does not work.', {
        keywords: 'compatibility supported wallets eudi google apple tested',
      }),
    ],
  },
  {
    title: 'Operate',
    guides: [
      guide('operating', 'Operating Vidimus', 'Install, configure, watch, back up and upgrade.', {
        keywords: 'self-host docker compose kubernetes postgres backup restore environment variables configuration',
        searchWeight: 0.9,
      }),
      guide(
        'setup',
        'Set up from a file',
        'Tenants, keys, templates and trust from one file, for any number of tenants.',
        {
          keywords: 'infrastructure as code yaml gitops provisioning terraform',
          searchWeight: 0.9,
        },
      ),
      guide('settings', 'Tenant settings', 'Every setting, and what it changes for the holder.', { searchWeight: 0.8 }),
      guide('mail', 'Mail', 'Connect your mail server: invitations, lost passwords, alerts and links to people.', {
        keywords: 'smtp email sendgrid postfix dkim spf',
      }),
      guide('keys-outside', 'Keys in an HSM', 'Have an HSM sign, and wrap the master key with it.', {
        keywords: 'hsm kms pkcs11 yubikey hardware master key',
      }),
      guide('capacity', 'Capacity', 'What one verification costs, and how many a machine can handle.', {
        keywords: 'performance scaling throughput load sizing benchmark',
      }),
      guide('scaling', 'Growing', 'Several installations, and moving a merchant from one to another.', {
        keywords: 'cells migrate move tenant shard second installation',
      }),
      guide('metrics', 'Metrics', 'Every metric, its labels and its meaning.', {
        keywords: 'prometheus grafana monitoring opentelemetry',
        searchWeight: 0.8,
      }),
      guide('runbook', 'Runbook', 'What to do when an alert fires: symptom, cause, command.', {
        keywords: 'incident alert troubleshooting on-call outage',
        searchWeight: 0.8,
      }),
      guide('conformance', 'Conformance suite', "Run the OpenID Foundation's suite against your installation.", {
        searchWeight: 0.6,
      }),
      guide('oidc-conformance', 'OpenID conformance', 'What certification requires of the provider.', {
        searchWeight: 0.6,
      }),
    ],
  },
]

export const listedGuides = ({ guides }: Chapter): readonly GuideEntry[] =>
  guides.filter(({ language }) => language === undefined)

export const GUIDES: readonly GuideEntry[] = CHAPTERS.flatMap(({ guides }) => guides)

/** For developers of Vidimus itself, so not part of the docs. */
export const NOT_SHOWN = ['docs/testing.md', 'docs/font-licences.md'] as const
