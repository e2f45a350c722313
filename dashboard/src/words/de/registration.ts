// Deutsch: was Menü, erste Seite und die Seite einer Prüfung zur Registrierung sagen.

import type { enRegistration } from '../en/registration.ts'

export const deRegistration: typeof enRegistration = {
  registration: {
    title: 'Registrierung',
  },
  goingLive: {
    title: 'Echtbetrieb',
    lead: 'Was da sein muss, bevor Sie echte Menschen fragen. Ihr Betreiber hilft bei den ersten fünf.',
    testLead:
      'Bevor Sie echte Personen fragen, sind ein paar Schritte nötig: wer Sie im Register sind, wessen Dokumente Sie annehmen, ein Live-Schlüssel. Die Liste sagt, was noch offen ist.',
    toLive: 'Zeigen, was der Echtbetrieb braucht',
  },
  forgetting: {
    forget: 'Inhalt vergessen',
    title: 'Diese Daten löschen?',
    lead: 'Angaben und Nachweise werden endgültig gelöscht; dass geprüft wurde und wie es ausging, bleibt. Sehen Sie nach, ob Sie alles Nötige haben.',
  },
}
