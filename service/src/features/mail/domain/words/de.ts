// The texts of mails in German.

import type { MailWords } from './words.ts'

export const de: MailWords = {
  footer: (host) => `Gesendet von Vidimus über ${host}. Bitte antworten Sie nicht: Dieses Postfach wird nicht gelesen.`,
  once: (until) => `Sie können diesen Link einmal verwenden, bis zum ${until}.`,
  orOpen: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
  roles: { owner: 'Inhaber', admin: 'Admin', viewer: 'Betrachter' },
  invitation: {
    subject: (tenant) => `Einladung in das Team von ${tenant} bei Vidimus`,
    lead: (tenant, role) => `${tenant} hat Sie in sein Team bei Vidimus eingeladen. Ihre Rolle: ${role}.`,
    accept: 'Einladung annehmen',
    unexpected:
      'Sie haben diese E-Mail nicht erwartet? Dann können Sie sie ignorieren. Ein Konto entsteht erst, wenn Sie annehmen.',
  },
  lostAccess: {
    subject: 'Neues Passwort wählen',
    lead: 'Sie haben ein neues Passwort für Ihr Vidimus-Konto angefordert. Mit diesem Link legen Sie eines fest und sind gleich angemeldet.',
    replaces: 'Ihr altes Passwort und Ihre Passkeys gelten dann nicht mehr, und alle anderen Sitzungen enden.',
    go: 'Neues Passwort wählen',
    goTo: (tenants) => `Neues Passwort wählen für ${tenants}`,
    sameBrowser: 'Öffnen Sie den Link in dem Browser, in dem Sie ihn angefordert haben.',
    unexpected:
      'Sie haben das nicht angefordert? Dann können Sie diese E-Mail ignorieren. Ihr Passwort bleibt unverändert.',
  },
  verificationLink: {
    test: 'Test',
    subject: (merchant) => `${merchant} bittet um eine Bestätigung mit Ihrem digitalen Ausweis`,
    lead: (merchant) => `${merchant} bittet Sie, etwas mit Ihrem digitalen Ausweis zu bestätigen.`,
    purpose: (purpose) => `Grund: ${purpose}`,
    consent:
      'Zum Schutz Ihrer Daten steht in dieser E-Mail nicht, wonach gefragt wird. Sie sehen es auf der nächsten Seite. Erst wenn Sie in Ihrer Wallet zustimmen, werden Daten übermittelt.',
    open: 'Anfrage ansehen',
    until: (time) => `Der Link ist gültig bis zum ${time}.`,
    unexpected: (merchant) =>
      `Sie kennen ${merchant} nicht? Dann können Sie diese E-Mail ignorieren. Wir haben Ihre Adresse nur für den Versand verwendet und löschen sie danach.`,
  },
  alert: {
    quota: (tenant, percent, used, quota) => ({
      subject: `${tenant}: ${percent}\u00a0% des Tageskontingents verbraucht`,
      paragraphs: [
        `${tenant} hat heute ${used} von ${quota} Prüfungen angelegt.`,
        'Ist das Kontingent verbraucht, werden weitere Prüfungen bis Mitternacht UTC abgelehnt.',
      ],
    }),
    webhooks: (tenant, host, since, isDisabled) => ({
      subject: `${tenant}: Webhooks an ${host} schlagen fehl`,
      paragraphs: [
        `Die Zustellung von Webhooks an ${host} schlägt seit ${since} fehl.`,
        isDisabled
          ? 'Wir senden keine Webhooks mehr dorthin. Beheben Sie den Fehler beim Empfänger und schalten Sie das Ziel dann wieder ein.'
          : 'Wir versuchen es weiter. Nach fünf Tagen ohne Erfolg senden wir keine Webhooks mehr dorthin.',
      ],
    }),
    open: { quota: 'Nutzung ansehen', webhooks: 'Webhooks ansehen' },
    unsubscribe: 'Diese E-Mails abschalten',
  },
  newSignIn: {
    subject: 'Neue Anmeldung in Ihrem Konto',
    lead: (time, method) =>
      `In Ihrem Vidimus-Konto gab es am ${time} eine Anmeldung aus einem neuen Browser, ${method}.`,
    methods: {
      password: 'mit Passwort',
      passkey: 'mit Passkey',
      link: 'mit einem Einmallink',
      oidc: 'über die Anmeldung Ihres Unternehmens',
    },
    yours: 'Wenn Sie das waren, müssen Sie nichts tun.',
    notYours:
      'Wenn Sie das nicht waren: Melden Sie sich an, wählen Sie ein neues Passwort und beenden Sie die anderen Sitzungen.',
    open: 'Ihr Konto öffnen',
  },
  test: {
    subject: 'Test-E-Mail von Vidimus',
    lead: 'Ihr Mailserver hat diese E-Mail angenommen. Vidimus kann jetzt Einladungen und Links für neue Passwörter senden.',
  },
}
