// Deutsch: was Menü, erste Seite und die Seite einer Prüfung zur Registrierung sagen.

import type { enRegistration } from '../en/registration.ts'

export const deRegistration: typeof enRegistration = {
  registration: {
    title: 'Registrierung',
  },
  goingLive: {
    title: 'Live schalten',
    lead: 'Alles, was Sie brauchen, bevor Sie echte Personen prüfen. Ihr Betreiber hilft bei der Zulassung.',
    testLead:
      'Bevor Sie echte Personen prüfen können, sind ein paar Schritte nötig: Ihre Registrierung, ein Signaturzertifikat und vertrauenswürdige Aussteller.',
    toLive: 'Schritte ansehen',
  },
  forgetting: {
    forget: 'Personendaten löschen',
    title: 'Personendaten löschen?',
    lead: 'Namen, Daten, Fotos und alles andere, was diese Person geteilt hat, werden endgültig gelöscht. Das Ergebnis und die Quittung bleiben.',
  },
}
