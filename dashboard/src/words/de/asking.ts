// Deutsch: eine Prüfung, die im Dashboard gestartet wird.

import type { enAsking } from '../en/asking.ts'

export const deAsking: typeof enAsking = {
  asking: {
    create: 'Neue Prüfung',
    ask: 'Prüfung starten',
    lead: 'Sie erhalten einen Link zum Verschicken und einen QR-Code zum Zeigen. Das Ergebnis erscheint auf der nächsten Seite.',
    leadLive: 'Diese Prüfung richtet sich an eine echte Person und zählt zu Ihrem Kontingent.',
    template: 'Was möchten Sie wissen?',
    purpose: 'Zweck',
    purposeHint: 'Warum Sie fragen. Die Person liest das, bevor sie antwortet.',
    purposeExample: 'Um Ihnen Wein zu verkaufen',
    reference: 'Referenz',
    referenceHint: 'Ihre Bestell- oder Buchungsnummer zum Wiederfinden. Nur Sie sehen sie.',
    referenceExample: 'Bestellung 1024',
    optional: 'optional',
    expiry: 'Gültig für',
    minutes: (n) => (n === 60 ? '1 Stunde' : `${n} Minuten`),
    submit: 'Prüfung starten',
    waiting: 'Wartet auf Antwort',
    waitingLead: 'Das Ergebnis erscheint hier, sobald die Person antwortet.',
    fetched: 'Eine Wallet hat die Anfrage geöffnet.',
    left: 'Gültig noch',
    over: 'Der Link ist abgelaufen.',
    link: 'Link zum Verschicken',
    copyLink: 'Link kopieren',
    openPage: 'Seite öffnen',
    scan: 'Oder lassen Sie die Person diesen Code mit dem Smartphone scannen',
    mail: 'E-Mail-Text',
    copyMail: 'Text kopieren',
    openMail: 'Im E\u2011Mail-Programm öffnen',
    mailSubject: (merchant) => `${merchant}: Bitte bestätigen Sie Ihre Angaben`,
    mailText: ({ merchant, purpose, link, until }) =>
      `Guten Tag,\n\n${merchant} bittet Sie, Angaben mit Ihrer digitalen Wallet zu bestätigen.${purpose === null ? '' : `\nGrund: ${purpose}`}\n\nBitte öffnen Sie diesen Link auf Ihrem Smartphone oder Computer:\n${link}\n\nSie sehen genau, was abgefragt wird, bevor Sie etwas teilen. Der Link gilt bis ${until}.\n\nFreundliche Grüße\n${merchant}`,
    cancel: 'Prüfung abbrechen',
    cancelTitle: 'Diese Prüfung abbrechen?',
    cancelLead: 'Link und QR-Code funktionieren sofort nicht mehr. Spätere Antworten werden abgelehnt.',
  },
}
