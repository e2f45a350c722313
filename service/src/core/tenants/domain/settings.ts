// A tenant's settings apart from its plan: one table that generates the store's columns, the dashboard's route and
// page, the command line and docs/settings.md. A new one is an entry here, a migration with its column, and its use.

import { type Setting, type SettingsOf, type SettingsTable, type SettingValue, takes, wireNameOf } from './setting.ts'

const POLICIES = [
  { value: 'require', en: 'Refuse', de: 'Ablehnen' },
  { value: 'prefer', en: 'Accept with a warning', de: 'Mit Warnung annehmen' },
] as const

const POLICY_EXPLAINED = {
  en: 'Issuers list the documents they have withdrawn. While such a list cannot be reached, a document is refused, or accepted with a warning in your result.',
  de: 'Aussteller führen Listen der Nachweise, die sie widerrufen haben. Solange eine solche nicht erreichbar ist, wird ein Nachweis abgelehnt oder mit einer Warnung in Ihrem Ergebnis angenommen.',
}

export const TENANT_SETTINGS = {
  content: {
    group: 'data',
    kind: 'choice',
    choices: [
      { value: 'keep', en: 'Keep it until it is erased', de: 'Behalten bis zur Löschung' },
      { value: 'forward', en: 'Forget it once you have it', de: 'Vergessen, sobald Sie es haben' },
    ],
    fallback: 'keep',
    label: { en: 'What customers showed you', de: 'Was Kunden Ihnen gezeigt haben' },
    explanation: {
      en: 'Kept here to be looked up, or forgotten once your webhook has it, when you ask for it, or after the time below. Of what fails nothing is kept then.',
      de: 'Hier zum Nachsehen behalten, oder vergessen, sobald Ihr Webhook es hat, wenn Sie darum bitten oder nach der Zeit darunter. Von Gescheitertem bleibt dann nichts.',
    },
    holder: {
      en: 'Forgotten: what they showed is here for minutes, not for days.',
      de: 'Vergessen: Was sie gezeigt haben, ist hier Minuten statt Tage.',
    },
  },
  holdSeconds: {
    group: 'data',
    kind: 'number',
    min: 60,
    max: 3600,
    fallback: 900,
    label: { en: 'Forget it after (seconds)', de: 'Vergessen nach (Sekunden)' },
    explanation: {
      en: 'At the latest, delivered or not. Matters only where it is forgotten.',
      de: 'Spätestens, zugestellt oder nicht. Nur von Belang, wo vergessen wird.',
    },
    holder: {
      en: 'The longest that what they showed is here.',
      de: 'So lange ist höchstens hier, was sie gezeigt haben.',
    },
  },
  retentionDays: {
    group: 'data',
    kind: 'number',
    min: 1,
    max: 3650,
    fallback: 30,
    label: { en: 'Erase verifications after (days)', de: 'Prüfungen löschen nach (Tagen)' },
    explanation: {
      en: 'You can look a verification up for this long. Then it is erased for good, with everything it told you.',
      de: 'So lange können Sie eine Prüfung nachsehen. Dann wird sie endgültig gelöscht, mit allem, was sie Ihnen sagte.',
    },
    holder: {
      en: 'What they showed you is gone from here after that time.',
      de: 'Was sie Ihnen gezeigt haben, ist nach dieser Zeit hier verschwunden.',
    },
  },
  liveWebhooksHttpsOnly: {
    group: 'data',
    kind: 'switch',
    fallback: false,
    label: { en: 'Refuse live webhooks over plain http', de: 'Live-Webhooks ohne https ablehnen' },
    explanation: {
      en: 'Results go to your systems over https alone. A verification that names another address is refused when it is made.',
      de: 'Ergebnisse gehen nur über https an Ihre Systeme. Eine Prüfung mit anderer Adresse wird schon beim Anlegen abgelehnt.',
    },
    holder: {
      en: 'What they showed never travels to you in the clear.',
      de: 'Was sie gezeigt haben, reist nie unverschlüsselt zu Ihnen.',
    },
  },
  evidenceBasis: {
    group: 'data',
    kind: 'text',
    changedBy: 'vidimus evidence',
    fallback: null,
    none: { en: 'None: no evidence is made', de: 'Keine: Es werden keine Belege erstellt' },
    label: { en: 'Legal basis for evidence bundles', de: 'Rechtsgrundlage für Belege' },
    explanation: {
      en: 'With one, what was shown can be collected once, encrypted to your result key. Your operator records it; nothing is made where content is forgotten, or without a proven key.',
      de: 'Mit einer kann, was gezeigt wurde, einmal abgeholt werden, verschlüsselt mit Ihrem Schlüssel. Ihr Betreiber trägt sie ein; nichts wird erstellt, wo Inhalt vergessen wird oder ein bestätigter Schlüssel fehlt.',
    },
    holder: {
      en: 'With one, you keep what they showed you for as long as the law demands it of you.',
      de: 'Mit einer bewahren Sie auf, was sie Ihnen gezeigt haben, solange das Gesetz es von Ihnen verlangt.',
    },
  },
  forwardOnly: {
    group: 'data',
    kind: 'switch',
    fallback: false,
    byOperatorOnly: true,
    label: { en: 'Content is never kept', de: 'Inhalt wird nie behalten' },
    explanation: {
      en: 'Set by the operator alone: `content` is `forward`, whatever the company chose.',
      de: 'Setzt allein der Betreiber: Inhalt wird vergessen, was auch immer das Unternehmen gewählt hat.',
    },
  },
  statusPolicyLive: {
    group: 'documents',
    kind: 'choice',
    choices: POLICIES,
    fallback: 'require',
    label: { en: 'When revocation cannot be checked (live)', de: 'Wenn der Widerruf nicht prüfbar ist (Live)' },
    explanation: POLICY_EXPLAINED,
    holder: {
      en: 'Refuse: while the issuer’s list is out of reach they are turned away with a genuine document. Accept: they get through, and a revoked document might too.',
      de: 'Ablehnen: Solange die Liste des Ausstellers nicht erreichbar ist, werden sie mit echtem Nachweis abgewiesen. Annehmen: Sie kommen durch, ein widerrufener Nachweis womöglich auch.',
    },
  },
  statusPolicyTest: {
    group: 'documents',
    kind: 'choice',
    choices: POLICIES,
    fallback: 'prefer',
    label: { en: 'When revocation cannot be checked (test)', de: 'Wenn der Widerruf nicht prüfbar ist (Test)' },
    explanation: POLICY_EXPLAINED,
    holder: {
      en: 'As in live, for your trials.',
      de: 'Wie im Livebetrieb, für Ihre Versuche.',
    },
  },
  ownTrustInLive: {
    group: 'documents',
    kind: 'switch',
    fallback: false,
    byOperatorOnly: true,
    label: {
      en: 'The company adds issuers to trust in live',
      de: 'Das Unternehmen fügt vertraute Aussteller im Livebetrieb hinzu',
    },
    explanation: {
      en: 'Set by the operator alone: without it owners add anchors and lists in test only.',
      de: 'Setzt allein der Betreiber: Ohne diese Einstellung fügen Inhaber Anker und Listen nur im Test hinzu.',
    },
  },
  browserBinding: {
    group: 'protocol',
    kind: 'choice',
    choices: [
      { value: 'first', en: 'The first browser that opens it', de: 'Der erste Browser, der sie öffnet' },
      { value: 'none', en: 'Any browser with the link', de: 'Jeder Browser mit dem Link' },
    ],
    fallback: 'first',
    label: { en: 'Who can use a link to the hosted page', de: 'Wer einen Link zur gehosteten Seite nutzen kann' },
    explanation: {
      en: 'For verifications that you create without `browser_binding`. Sign-ins always belong to the browser that began them.',
      de: 'Für Prüfungen, die Sie ohne `browser_binding` anlegen. Anmeldungen gehören immer dem Browser, der sie begonnen hat.',
    },
    holder: {
      en: 'First: a link that somebody forwards shows a notice that the page is open elsewhere.',
      de: 'Der erste: Ein weitergeleiteter Link zeigt nur den Hinweis, dass die Seite woanders geöffnet ist.',
    },
  },
  haip: {
    group: 'protocol',
    kind: 'switch',
    fallback: false,
    underHaip: true,
    label: {
      en: 'Keep to the High Assurance profile (HAIP 1.0)',
      de: 'Das Profil HAIP 1.0 einhalten (hohes Vertrauen)',
    },
    explanation: {
      en: 'The strict rules that the EU’s wallets keep to. While it is on it decides some of the choices below.',
      de: 'Die strengen Regeln, die die Wallets der EU einhalten. Solange es gilt, bestimmt es über manche der Einstellungen darunter.',
    },
    holder: {
      en: 'Wallets that do not keep to the profile cannot answer you; those of the EU can.',
      de: 'Wallets, die das Profil nicht einhalten, können Ihnen nicht antworten; die der EU können es.',
    },
  },
  responseMode: {
    group: 'protocol',
    kind: 'choice',
    choices: [
      { value: 'direct_post.jwt', en: 'Encrypted', de: 'Verschlüsselt' },
      { value: 'direct_post', en: 'In the clear', de: 'Unverschlüsselt' },
    ],
    fallback: 'direct_post.jwt',
    underHaip: 'direct_post.jwt',
    label: { en: 'How wallets answer', de: 'Wie Wallets antworten' },
    explanation: {
      en: 'Encrypted answers are readable for the service alone, whatever stands between it and the wallet.',
      de: 'Verschlüsselte Antworten liest allein der Dienst, was auch zwischen ihm und der Wallet steht.',
    },
    holder: {
      en: 'In the clear, whoever stands between wallet and service can read what they show.',
      de: 'Unverschlüsselt kann mitlesen, wer zwischen Wallet und Dienst steht.',
    },
  },
  clientIdPrefix: {
    group: 'protocol',
    kind: 'choice',
    choices: [
      { value: 'x509_hash', en: 'By its fingerprint (x509_hash)', de: 'Mit seinem Fingerabdruck (x509_hash)' },
      { value: 'x509_san_dns', en: 'By the name in it (x509_san_dns)', de: 'Mit dem Namen darin (x509_san_dns)' },
    ],
    fallback: 'x509_hash',
    underHaip: 'x509_hash',
    label: { en: 'How we name ourselves to wallets', de: 'Wie wir uns Wallets nennen' },
    explanation: {
      en: 'How every question says that it comes from you: by the fingerprint of your access certificate, or by the host name in it. Leave it unless a wallet you need knows only the other.',
      de: 'Woran jede Frage als Ihre zu erkennen ist: am Fingerabdruck Ihres Zugangszertifikats oder am Namen des Servers darin. Nur ändern, wenn eine Wallet, die Sie brauchen, allein das andere kennt.',
    },
    holder: {
      en: 'Their wallet may show the name from the certificate either way; some wallets know only one of the two.',
      de: 'Ihre Wallet kann in beiden Fällen den Namen aus dem Zertifikat zeigen; manche kennt nur eines von beiden.',
    },
  },
  walletRejectionStatus: {
    group: 'protocol',
    kind: 'choice',
    choices: [
      { value: 200, en: '200, the usual', de: '200, wie üblich' },
      { value: 400, en: '400, for ecosystems that want an error', de: '400, wo ein Fehler erwartet wird' },
    ],
    fallback: 200,
    label: {
      en: 'Answer to a wallet whose presentation fails',
      de: 'Antwort an eine Wallet, deren Nachweis scheitert',
    },
    explanation: {
      en: 'The HTTP status it is told. Your own result is the same either way.',
      de: 'Der HTTP-Status, den sie erfährt. Ihr eigenes Ergebnis bleibt dasselbe.',
    },
    holder: {
      en: 'Most wallets show no difference; with 400 some show an error.',
      de: 'Die meisten Wallets zeigen keinen Unterschied; bei 400 zeigen manche einen Fehler.',
    },
  },
  dcApiUnsignedInTest: {
    group: 'protocol',
    kind: 'switch',
    fallback: false,
    underHaip: false,
    label: {
      en: 'Browsers also get an unsigned request (test)',
      de: 'Browser bekommen auch eine unsignierte Anfrage (Test)',
    },
    explanation: {
      en: 'For wallets under development. Nobody can tell who asks; live ignores it.',
      de: 'Für Wallets in Entwicklung. Niemand kann sehen, wer fragt; im Livebetrieb ohne Wirkung.',
    },
    holder: {
      en: 'Nothing outside test.',
      de: 'Außerhalb des Tests nichts.',
    },
  },
  dcApiClearInTest: {
    group: 'protocol',
    kind: 'switch',
    fallback: false,
    underHaip: false,
    label: {
      en: 'Wallets answer browsers in the clear (test)',
      de: 'Wallets antworten Browsern unverschlüsselt (Test)',
    },
    explanation: {
      en: 'For wallets under development. Every script of the page can read the answer; live ignores it.',
      de: 'Für Wallets in Entwicklung. Jedes Skript der Seite kann die Antwort lesen; im Livebetrieb ohne Wirkung.',
    },
    holder: {
      en: 'Nothing outside test.',
      de: 'Außerhalb des Tests nichts.',
    },
  },
  ageLink: {
    group: 'protocol',
    kind: 'switch',
    fallback: false,
    underHaip: false,
    label: {
      en: 'Ask for an age by an unsigned link too (EU age app)',
      de: 'Nach dem Alter auch mit unsigniertem Link fragen (EU-Alters-App)',
    },
    explanation: {
      en: 'For the templates `age_over_NN` alone: the hosted page also shows a link of the EU age profile, which nobody signs.',
      de: 'Nur für die Vorlagen `age_over_NN`: Die Seite zeigt auch einen Link des EU-Altersprofils, den niemand signiert.',
    },
    holder: {
      en: 'They can answer with the EU age app; it cannot tell them who asks.',
      de: 'Sie können mit der EU-Alters-App antworten; sie kann ihnen nicht sagen, wer fragt.',
    },
  },
} as const satisfies SettingsTable

export type TenantSettings = SettingsOf<typeof TENANT_SETTINGS>
export type ClientIdPrefix = TenantSettings['clientIdPrefix']

export interface NamedSetting {
  readonly key: keyof TenantSettings
  /** Its name in JSON and of its column. */
  readonly name: string
  readonly setting: Setting
}

/** The same table as a list, in its order. */
export const SETTINGS: readonly NamedSetting[] = (Object.keys(TENANT_SETTINGS) as (keyof TenantSettings)[]).map(
  (key) => ({ key, name: wireNameOf(key), setting: TENANT_SETTINGS[key] }),
)

export function toWire(settings: TenantSettings): Record<string, SettingValue> {
  return Object.fromEntries(SETTINGS.map(({ key, name }) => [name, settings[key]]))
}

/** Only the named ones. Unknown settings and invalid values must be refused before: here they are a bug. */
export function fromWire(wire: Readonly<Record<string, SettingValue>>): Partial<TenantSettings> {
  const change = Object.entries(wire).map(([name, value]) => {
    const known = SETTINGS.find((one) => one.name === name)
    if (known === undefined || !takes(known.setting, value)) throw new Error(`bug: ${name} is no setting or no value`)
    return [known.key, value]
  })
  return Object.fromEntries(change)
}

const UNDER_HAIP: Partial<TenantSettings> = Object.fromEntries(
  SETTINGS.flatMap(({ key, setting }) => (setting.underHaip === undefined ? [] : [[key, setting.underHaip]])),
)

/** HAIP 1.0 §5 fixes how we identify ourselves and how wallets answer; the operator may require it for all tenants. */
export function effectiveSettings<S extends Pick<TenantSettings, 'haip'>>(settings: S, haipEverywhere: boolean): S {
  return settings.haip || haipEverywhere ? { ...settings, ...UNDER_HAIP } : settings
}

/** Whether content is kept: the operator may forbid that for all tenants, or for one. */
export function contentInEffect(
  settings: Pick<TenantSettings, 'content' | 'forwardOnly'>,
  forwardEverywhere: boolean,
): TenantSettings['content'] {
  return forwardEverywhere || settings.forwardOnly ? 'forward' : settings.content
}
