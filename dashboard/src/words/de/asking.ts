// Deutsch: Aus dem Dashboard wird jemand gefragt.

import type { enAsking } from '../en/asking.ts'

export const deAsking: typeof enAsking = {
  asking: {
    create: 'Neue Prüfung',
    ask: 'Fragen',
    lead: 'Sie bekommen einen Link zum Verschicken und einen QR-Code zum Zeigen. Die Antwort erscheint auf der nächsten Seite.',
    leadLive: 'Damit fragen Sie einen echten Menschen; es zählt zu Ihrem Kontingent.',
    template: 'Was möchten Sie wissen?',
    purpose: 'Zweck',
    purposeHint: 'Warum Sie fragen. Steht da, bevor geantwortet wird.',
    purposeExample: 'Um Ihnen Wein zu verkaufen',
    reference: 'Ihre Referenz',
    referenceHint: 'Bestell- oder Buchungsnummer, zum Wiederfinden. Die befragte Person sieht sie nicht.',
    referenceExample: 'Bestellung 1024',
    optional: 'optional',
    expiry: 'Offen für',
    minutes: (n) => (n === 60 ? '1 Stunde' : `${n} Minuten`),
    submit: 'Link erzeugen',
    waiting: 'Wartet auf die Antwort',
    waitingLead: 'Sobald es eine Antwort gibt, steht sie auf dieser Seite.',
    fetched: 'Eine Wallet hat die Anfrage geöffnet.',
    left: 'Offen noch',
    over: 'Die Zeit ist um.',
    link: 'Link zum Verschicken',
    copyLink: 'Link kopieren',
    openPage: 'Seite öffnen',
    scan: 'Oder mit dem Telefon scannen lassen',
    mail: 'Text für eine E-Mail',
    copyMail: 'Text kopieren',
    openMail: 'E-Mail schreiben',
    mailSubject: (merchant) => `${merchant} bittet Sie um einen Nachweis`,
    mailText: ({ merchant, purpose, link, until }) =>
      `Guten Tag,\n\n${merchant} bittet Sie um einen Nachweis aus Ihrer digitalen Wallet.${purpose === null ? '' : `\nGrund: ${purpose}`}\n\nBitte öffnen Sie diesen Link auf Ihrem Telefon oder Computer:\n${link}\n\nSie sehen, was gefragt wird, bevor Sie etwas preisgeben. Der Link gilt bis ${until}.\n\nFreundliche Grüße\n${merchant}`,
    cancel: 'Zurücknehmen',
    cancelTitle: 'Diese Prüfung zurücknehmen?',
    cancelLead: 'Link und QR-Code gelten sofort nicht mehr. Eine spätere Antwort wird abgelehnt.',
  },
}
