// Deutsch: Links, die Prüfungen starten.

import type { enLinks } from '../en/links.ts'

export const deLinks: typeof enLinks = {
  lead: 'Eine Adresse zum Verschicken oder Drucken. Jede Person, die sie öffnet, startet eine Prüfung.',
  empty: 'Noch keine Links',
  emptyLead: 'Mit einem Link prüfen Sie per E-Mail, per SMS oder über ein Plakat, ganz ohne Programmierung.',
  examples: [
    ['In einer E-Mail', '„Bitte bestätigen Sie Ihre Identität vor dem Termin.“ Für eine Person.'],
    ['Auf einer Einladung', '„Zeigen Sie vor der Weinprobe, dass Sie 18 sind.“ Für die 50 Gäste auf Ihrer Liste.'],
    ['Auf einem Plakat', 'Ein QR-Code am Eingang. Für alle, bis die Veranstaltung vorbei ist.'],
  ],
  createLead: 'Ein Link gilt bis zu 30 Tage. Wer ihn öffnet, sieht zuerst Ihren Namen und Ihren Zweck.',
  leadLive: 'Dieser Link richtet sich an echte Personen. Jede Prüfung zählt zu Ihrem Kontingent.',
  who: 'Für wen ist der Link?',
  kinds: {
    once: ['Eine Person', 'Gilt einmal, zum Beispiel in einer E-Mail.'],
    several: ['Eine Gruppe', 'Gilt für so viele Personen, wie Sie angeben.'],
    any: ['Alle', 'Für Plakat oder Website, bis er endet.'],
  },
  uses: 'Wie viele Prüfungen?',
  starts: 'Beginn',
  startsHint: 'Leer lassen, um sofort zu beginnen.',
  ends: 'Ende',
  endsHint: (days) => `Höchstens ${days} Tage nach dem Beginn.`,
  submit: 'Link erstellen',
  made: 'Ihr Link ist fertig',
  madeLead:
    'Kopieren Sie jetzt den Link oder laden Sie den QR-Code herunter. Aus Sicherheitsgründen speichern wir die Adresse nicht.',
  shownLead:
    'Kopieren Sie den Link oder laden Sie den QR-Code herunter, bevor Sie das Dashboard neu laden oder verlassen.',
  address: 'Link',
  qr: 'QR-Code des Links',
  qrCode: 'QR-Code',
  copy: 'Link kopieren',
  more: 'Weitere Aktionen',
  similar: 'Ähnlichen Link erstellen',
  addressNote:
    'Sie können einen Link kopieren, bis Sie das Dashboard neu laden. Danach kennen wir die Adresse nicht mehr: Erstellen Sie einen neuen, wenn sie verloren ging.',
  svg: 'SVG für den Druck',
  png: 'PNG-Bild',
  done: 'Fertig',
  state: 'Status',
  states: {
    scheduled: 'Geplant',
    open: 'Aktiv',
    used_up: 'Aufgebraucht',
    ended: 'Beendet',
    revoked: 'Widerrufen',
    unavailable: 'Funktioniert nicht',
  },
  unavailableWhy: 'Der API-Schlüssel, der ihn erstellt hat, ist widerrufen.',
  asks: 'Link',
  ownQuery: 'Eigene Abfrage',
  used: 'Genutzt',
  usedOf: (opened, uses) => `${opened} von ${uses}`,
  usedTimes: (n) => (n === 0 ? 'Noch nicht genutzt' : n === 1 ? 'Einmal' : `${n} Mal`),
  completed: (n) => `${n} abgeschlossen`,
  period: 'Endet',
  endsIn: (left) => `noch ${left}`,
  createdAt: 'Erstellt',
  revoke: 'Widerrufen',
  revokeTitle: 'Diesen Link widerrufen?',
  revokeLead:
    'Er funktioniert sofort nicht mehr, auch wenn Sie ihn schon verschickt oder gedruckt haben. Begonnene Prüfungen laufen weiter. Das lässt sich nicht rückgängig machen.',
}
