import type { MailWords } from './words.ts'

export const de: MailWords = {
  footer: (host) => `Gesendet von Vidimus auf ${host}. Antworten auf diese E-Mail werden nicht gelesen.`,
  once: (until) => `Der Link funktioniert einmal, bis ${until}.`,
  roles: { owner: 'Inhaber', admin: 'Verwalter', viewer: 'Leser' },
  invitation: {
    subject: (tenant) => `Einladung zum Team von ${tenant} bei Vidimus`,
    lead: (tenant, role) => `${tenant} lädt Sie in sein Team bei Vidimus ein. Ihre Rolle: ${role}.`,
    accept: 'Einladung annehmen',
    unexpected: 'Wenn Sie diese E-Mail nicht erwartet haben, ignorieren Sie sie. Ohne Sie wird kein Konto angelegt.',
  },
  lostAccess: {
    subject: 'Neues Passwort wählen',
    lead: 'Sie haben ein neues Passwort für Ihr Vidimus-Konto angefordert. Mit diesem Link wählen Sie eines und sind angemeldet.',
    replaces: 'Ihr altes Passwort und Ihre Passkeys gelten dann nicht mehr, und alle anderen Sitzungen enden.',
    go: 'Neues Passwort wählen',
    goTo: (tenants) => `Neues Passwort wählen für ${tenants}`,
    sameBrowser: 'Öffnen Sie ihn in dem Browser, in dem Sie ihn angefordert haben.',
    unexpected: 'Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail. Ihr Passwort bleibt unverändert.',
  },
  verificationLink: {
    test: 'Test',
    subject: (merchant) => `${merchant} bittet Sie um eine Bestätigung`,
    lead: (merchant) => `${merchant} bittet Sie, etwas mit dem digitalen Ausweis in Ihrer Wallet zu bestätigen.`,
    purpose: (purpose) => `Zweck: ${purpose}`,
    consent: 'Die nächste Seite zeigt, wonach gefragt wird. Ihre Wallet sendet nichts, bevor Sie zustimmen.',
    open: 'Anfrage ansehen',
    until: (time) => `Der Link funktioniert bis ${time}.`,
    onBehalfOf: (tenant) => `Die Anfrage wird für ${tenant} gesendet.`,
    unexpected: (merchant) =>
      `Wenn Sie ${merchant} nicht kennen, ignorieren Sie diese E-Mail. Ihre Adresse wurde nur für diese E-Mail verwendet und wird nach dem Versand gelöscht.`,
  },
  alert: {
    quota: (tenant, percent, used, quota) => ({
      subject: `${tenant}: ${percent} % des Tageskontingents verbraucht`,
      paragraphs: [
        `${tenant} hat heute ${used} von ${quota} Prüfungen angelegt.`,
        'Ist das Kontingent verbraucht, werden weitere Prüfungen bis Mitternacht UTC abgelehnt.',
      ],
    }),
    webhooks: (tenant, host, since, isDisabled) => ({
      subject: `${tenant}: Webhooks an ${host} schlagen fehl`,
      paragraphs: [
        `Webhooks von ${tenant} an ${host} schlagen seit ${since} fehl.`,
        isDisabled
          ? 'Dorthin wird nichts mehr gesendet. Beheben Sie den Fehler beim Empfänger, und schalten Sie das Ziel wieder ein.'
          : 'Sie werden wiederholt. Schlagen sie fünf Tage lang fehl, wird dorthin nichts mehr gesendet.',
      ],
    }),
    open: 'Dashboard öffnen',
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
    notYours: 'Wenn nicht, melden Sie sich an, wählen Sie ein neues Passwort und beenden Sie die anderen Sitzungen.',
    open: 'Ihr Konto öffnen',
  },
  test: {
    subject: 'Test-E-Mail von Vidimus',
    lead: 'Ihr Mailserver hat diese E-Mail angenommen. Vidimus kann jetzt Einladungen und Links für neue Passwörter senden.',
  },
}
