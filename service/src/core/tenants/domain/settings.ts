// Lists a tenant's settings. Columns, dashboard, command line and docs/settings.md are generated from this table.

import { type Setting, type SettingsOf, type SettingsTable, type SettingValue, takes, wireNameOf } from './setting.ts'

const POLICIES = [
  { value: 'require', en: 'Refuse the document', de: 'Nachweis ablehnen' },
  { value: 'prefer', en: 'Accept with a warning', de: 'Mit Warnung annehmen' },
] as const

const POLICY_EXPLAINED = {
  en: 'Issuers publish lists of documents they have revoked. If such a list cannot be reached, we refuse the document or accept it with a warning in your result.',
  de: 'Aussteller veröffentlichen Listen widerrufener Nachweise. Ist eine solche Liste nicht erreichbar, lehnen wir den Nachweis ab oder nehmen ihn mit einer Warnung in Ihrem Ergebnis an.',
}

export const TENANT_SETTINGS = {
  content: {
    group: 'data',
    kind: 'choice',
    choices: [
      { value: 'keep', en: 'Keep results here', de: 'Hier aufbewahren' },
      { value: 'forward', en: 'Pass on and delete', de: 'Weitergeben und löschen' },
    ],
    fallback: 'keep',
    label: { en: 'What happens to results', de: 'Was mit Ergebnissen geschieht' },
    explanation: {
      en: 'Keep results to look them up until the verification is deleted. Or delete them as soon as your webhook has received them or you delete them, at the latest after the time below. Then nothing is kept from failed verifications either.',
      de: 'Bewahren Sie Ergebnisse auf, um sie bis zur Löschung der Prüfung nachzuschlagen. Oder löschen Sie sie, sobald Ihr Webhook sie erhalten hat oder Sie sie löschen, spätestens nach der Frist unten. Auch von fehlgeschlagenen Prüfungen bleibt dann nichts gespeichert.',
    },
    holder: {
      en: 'If you delete results, their data is stored here for minutes instead of days.',
      de: 'Wenn Sie Ergebnisse löschen, sind ihre Daten hier nur Minuten statt Tage gespeichert.',
    },
  },
  holdSeconds: {
    group: 'data',
    kind: 'number',
    min: 60,
    max: 3600,
    fallback: 900,
    label: { en: 'Delete results at the latest after', de: 'Ergebnisse spätestens löschen nach' },
    unit: { en: 'seconds', de: 'Sekunden' },
    explanation: {
      en: 'Even if they could not be delivered. Applies only if results are passed on and deleted.',
      de: 'Auch wenn sie nicht zugestellt werden konnten. Gilt nur, wenn Ergebnisse weitergegeben und gelöscht werden.',
    },
    holder: {
      en: 'Their data is stored here for this long at most.',
      de: 'So lange sind ihre Daten hier höchstens gespeichert.',
    },
  },
  retentionDays: {
    group: 'data',
    kind: 'number',
    min: 1,
    max: 3650,
    fallback: 30,
    label: { en: 'Keep verifications for', de: 'Prüfungen aufbewahren für' },
    unit: { en: 'days', de: 'Tage' },
    explanation: {
      en: 'After that, a verification is deleted for good, with its result.',
      de: 'Danach wird eine Prüfung samt Ergebnis endgültig gelöscht.',
    },
    holder: {
      en: 'After that time, their data is no longer stored here.',
      de: 'Nach dieser Zeit sind ihre Daten hier nicht mehr gespeichert.',
    },
  },
  liveWebhooksHttpsOnly: {
    group: 'data',
    kind: 'switch',
    fallback: false,
    label: { en: 'Require HTTPS for live webhooks', de: 'HTTPS für Live-Webhooks verlangen' },
    explanation: {
      en: 'If on, we send live results only to HTTPS addresses and refuse verifications with an HTTP address.',
      de: 'Wenn aktiv, senden wir Live-Ergebnisse nur an HTTPS-Adressen und lehnen Prüfungen mit HTTP-Adresse ab.',
    },
    holder: {
      en: 'Their data is never sent to you unencrypted.',
      de: 'Ihre Daten werden nie unverschlüsselt an Sie übertragen.',
    },
  },
  evidenceBasis: {
    group: 'data',
    kind: 'text',
    changedBy: 'vidimus evidence',
    fallback: null,
    none: { en: 'Not set. Evidence bundles are off.', de: 'Nicht festgelegt. Beweispakete sind aus.' },
    label: { en: 'Legal basis for evidence bundles', de: 'Rechtsgrundlage für Beweispakete' },
    explanation: {
      en: 'With a legal basis, you can download, once, what a person presented, encrypted with your result key. Your operator records it. You also need a confirmed result key, and must keep results.',
      de: 'Mit einer Rechtsgrundlage können Sie die vorgelegten Nachweise einmal herunterladen, verschlüsselt mit Ihrem Ergebnisschlüssel. Ihr Betreiber trägt sie ein. Außerdem brauchen Sie einen bestätigten Ergebnisschlüssel und müssen Ergebnisse aufbewahren.',
    },
    holder: {
      en: 'You may keep their data for as long as the law requires.',
      de: 'Sie dürfen ihre Daten so lange aufbewahren, wie das Gesetz es verlangt.',
    },
  },
  forwardOnly: {
    group: 'data',
    kind: 'switch',
    fallback: false,
    byOperatorOnly: true,
    label: { en: 'Never keep results', de: 'Ergebnisse nie aufbewahren' },
    explanation: {
      en: 'Only the operator can set this. `content` is then `forward`, whatever the company has chosen.',
      de: 'Das kann nur der Betreiber festlegen. Ergebnisse werden dann nach Erhalt gelöscht, was auch immer das Unternehmen gewählt hat.',
    },
  },
  statusPolicyLive: {
    group: 'documents',
    kind: 'choice',
    choices: POLICIES,
    fallback: 'require',
    label: { en: 'If revocation cannot be checked (live)', de: 'Wenn sich ein Widerruf nicht prüfen lässt (Live)' },
    explanation: POLICY_EXPLAINED,
    holder: {
      en: 'If you refuse, people with a genuine document are turned away while the list is unreachable. If you accept, a revoked document may get through.',
      de: 'Wenn Sie ablehnen, werden auch Personen mit echtem Nachweis abgewiesen, solange die Liste nicht erreichbar ist. Wenn Sie annehmen, kann ein widerrufener Nachweis durchkommen.',
    },
  },
  statusPolicyTest: {
    group: 'documents',
    kind: 'choice',
    choices: POLICIES,
    fallback: 'prefer',
    label: { en: 'If revocation cannot be checked (test)', de: 'Wenn sich ein Widerruf nicht prüfen lässt (Test)' },
    explanation: POLICY_EXPLAINED,
  },
  ownTrustInLive: {
    group: 'documents',
    kind: 'switch',
    fallback: false,
    byOperatorOnly: true,
    label: {
      en: 'The company may add trusted issuers in live',
      de: 'Das Unternehmen darf in Live vertrauenswürdige Aussteller hinzufügen',
    },
    explanation: {
      en: 'Only the operator can set this. Without it, owners can add issuers and lists in test only.',
      de: 'Das kann nur der Betreiber festlegen. Sonst können Inhaber Aussteller und Listen nur in Test hinzufügen.',
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
      en: 'For verifications that you create without `browser_binding`. A sign-in always belongs to the browser it started in.',
      de: 'Für Prüfungen, die Sie ohne `browser_binding` anlegen. Eine Anmeldung gehört immer zu dem Browser, in dem sie begonnen hat.',
    },
    holder: {
      en: 'With the first browser only, a forwarded link says that the page is already open elsewhere.',
      de: 'Beim ersten Browser zeigt ein weitergeleiteter Link nur den Hinweis, dass die Seite schon woanders geöffnet ist.',
    },
  },
  haip: {
    group: 'protocol',
    kind: 'switch',
    fallback: false,
    underHaip: true,
    label: {
      en: 'Use the High Assurance profile (HAIP 1.0)',
      de: 'High-Assurance-Profil (HAIP 1.0) verwenden',
    },
    explanation: {
      en: 'The strict rules that EU wallets follow. While it is on, it sets some of the options below.',
      de: 'Die strengen Regeln der EU-Wallets. Solange das Profil eingeschaltet ist, legt es einige der Einstellungen darunter fest.',
    },
    holder: {
      en: 'EU wallets can answer you. Wallets that do not follow the profile cannot.',
      de: 'EU-Wallets können Ihnen antworten. Wallets, die das Profil nicht einhalten, können es nicht.',
    },
  },
  responseMode: {
    group: 'protocol',
    kind: 'choice',
    choices: [
      { value: 'direct_post.jwt', en: 'Encrypted', de: 'Verschlüsselt' },
      { value: 'direct_post', en: 'Unencrypted', de: 'Unverschlüsselt' },
    ],
    fallback: 'direct_post.jwt',
    underHaip: 'direct_post.jwt',
    label: { en: 'How wallets answer', de: 'Wie Wallets antworten' },
    explanation: {
      en: 'Only this service can read an encrypted answer, not the systems between it and the wallet.',
      de: 'Eine verschlüsselte Antwort kann nur dieser Dienst lesen, nicht die Systeme zwischen ihm und der Wallet.',
    },
    holder: {
      en: 'Unencrypted, systems between the wallet and this service can read their data.',
      de: 'Unverschlüsselt können Systeme zwischen Wallet und Dienst ihre Daten mitlesen.',
    },
  },
  clientIdPrefix: {
    group: 'protocol',
    kind: 'choice',
    choices: [
      { value: 'x509_hash', en: 'By fingerprint (x509_hash)', de: 'Am Fingerabdruck (x509_hash)' },
      { value: 'x509_san_dns', en: 'By host name (x509_san_dns)', de: 'Am Hostnamen (x509_san_dns)' },
    ],
    fallback: 'x509_hash',
    underHaip: 'x509_hash',
    label: { en: 'How wallets identify you', de: 'Woran Wallets Sie erkennen' },
    explanation: {
      en: 'Each request names you by the fingerprint of your access certificate, or by the host name in it. Change this only if a wallet you need supports just the other.',
      de: 'Jede Anfrage nennt Sie mit dem Fingerabdruck Ihres Zugangszertifikats oder mit dem Hostnamen darin. Ändern Sie das nur, wenn eine Wallet, die Sie brauchen, nur das andere unterstützt.',
    },
    holder: {
      en: 'Their wallet can show the name from the certificate either way. Some wallets support only one of the two.',
      de: 'Ihre Wallet kann in beiden Fällen den Namen aus dem Zertifikat zeigen. Manche Wallets unterstützen nur eines von beiden.',
    },
  },
  walletRejectionStatus: {
    group: 'protocol',
    kind: 'choice',
    choices: [
      { value: 200, en: '200 (default)', de: '200 (Standard)' },
      { value: 400, en: '400 (for ecosystems that expect an error)', de: '400 (wo ein Fehler erwartet wird)' },
    ],
    fallback: 200,
    label: {
      en: 'HTTP status for a failed presentation',
      de: 'HTTP-Status bei fehlgeschlagener Vorlage',
    },
    explanation: {
      en: 'What we answer the wallet. Your own result is the same either way.',
      de: 'Was wir der Wallet antworten. Ihr eigenes Ergebnis bleibt dasselbe.',
    },
    holder: {
      en: 'Most wallets show no difference. With 400, some show an error.',
      de: 'Bei den meisten Wallets ändert sich nichts. Bei 400 zeigen manche einen Fehler.',
    },
  },
  dcApiUnsignedInTest: {
    group: 'protocol',
    kind: 'switch',
    fallback: false,
    underHaip: false,
    label: {
      en: 'Also send browsers an unsigned request (test)',
      de: 'Browsern auch eine unsignierte Anfrage senden (Test)',
    },
    explanation: {
      en: 'For wallets in development. The wallet cannot tell who is asking. Has no effect in live.',
      de: 'Für Wallets in Entwicklung. Die Wallet kann nicht erkennen, wer fragt. In Live ohne Wirkung.',
    },
  },
  dcApiClearInTest: {
    group: 'protocol',
    kind: 'switch',
    fallback: false,
    underHaip: false,
    label: {
      en: 'Wallets answer browsers unencrypted (test)',
      de: 'Wallets antworten Browsern unverschlüsselt (Test)',
    },
    explanation: {
      en: 'For wallets in development. Every script on the page can read the answer. Has no effect in live.',
      de: 'Für Wallets in Entwicklung. Jedes Skript der Seite kann die Antwort lesen. In Live ohne Wirkung.',
    },
  },
  ageLink: {
    group: 'protocol',
    kind: 'switch',
    fallback: false,
    underHaip: false,
    label: {
      en: 'Also accept the EU age app (unsigned link)',
      de: 'Auch die EU-Alters-App annehmen (unsignierter Link)',
    },
    explanation: {
      en: 'Only for the templates `age_over_NN`. The hosted page also shows a link of the EU age profile, which is not signed.',
      de: 'Nur für die Vorlagen `age_over_NN`. Die gehostete Seite zeigt auch einen Link des EU-Altersprofils, der nicht signiert ist.',
    },
    holder: {
      en: 'They can answer with the EU age app. The app cannot tell them who is asking.',
      de: 'Sie können mit der EU-Alters-App antworten. Die App kann ihnen nicht sagen, wer fragt.',
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

/** The settings as a list, in the order of the table. */
export const SETTINGS: readonly NamedSetting[] = (Object.keys(TENANT_SETTINGS) as (keyof TenantSettings)[]).map(
  (key) => ({ key, name: wireNameOf(key), setting: TENANT_SETTINGS[key] }),
)

export function toWire(settings: TenantSettings): Record<string, SettingValue> {
  return Object.fromEntries(SETTINGS.map(({ key, name }) => [name, settings[key]]))
}

/** Converts the named settings. The caller has refused unknown settings and invalid values, so here they are a bug. */
export function fromWire(wire: Readonly<Record<string, SettingValue>>): Partial<TenantSettings> {
  const change = Object.entries(wire).map(([name, value]) => {
    const known = SETTINGS.find((one) => one.name === name)
    if (known === undefined || !takes(known.setting, value))
      throw new Error(`bug: ${name} is not a setting, or its value is not valid`)
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
