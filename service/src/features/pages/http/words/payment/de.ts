// German: the words of a payment.

import type { PaymentWords } from './payment-words.ts'

export const de: PaymentWords = {
  documents: 'Akzeptierte Karten',
  issuerToo: (merchant) => `${merchant} sieht auch, welche Art von Karte Sie verwenden und wer sie ausgegeben hat.`,
  privacy: '',
  sameDevice: { wide: 'Auf diesem Gerät zahlen', narrow: 'In der Wallet zahlen' },
  leave: () => 'Zahlung abbrechen',
  scanned: {
    title: 'Weiter auf Ihrem Smartphone',
    text: () => 'Ihre Wallet zeigt Betrag und Empfänger. Dort bestätigen Sie oder lehnen ab.',
  },
  tryAnother: 'Mit anderer Karte versuchen',
  noWallet: {
    title: 'Noch keine Wallet?',
    text: 'Eine Wallet ist eine App, die Ihre Karten und Ausweise auf dem Smartphone aufbewahrt. Installieren Sie die App Ihres Landes, fügen Sie Ihre Karte hinzu und kommen Sie dann zurück.',
  },
  progress: {
    onPhone: 'Zahlung auf dem Smartphone bestätigen',
    inWallet: 'Zahlung bestätigen',
    confirmed: 'Zahlung bestätigt',
    check: 'Wir prüfen Ihre Karte',
    result: (merchant) => `${merchant} erhält die Bestätigung`,
  },
  steps: {
    fetched: { text: () => 'Prüfen Sie Betrag und Empfänger. Dann bestätigen Sie oder lehnen ab.' },
    checking: { title: 'Ihre Karte wird geprüft' },
    declined: {
      title: 'Zahlung abgebrochen',
      text: () => 'Es wurde nichts bezahlt. Sie haben abgelehnt, oder Ihre Wallet enthält keine passende Karte.',
    },
    failed: {
      title: 'Wir konnten die Zahlung nicht bestätigen',
      text: () =>
        'Die Prüfung Ihrer Karte ist fehlgeschlagen. Es wurde nichts bezahlt. Verwenden Sie eine andere Karte.',
    },
    expired: {
      title: 'Dieser Zahlungslink ist abgelaufen',
      text: (merchant) => `Es wurde nichts bezahlt. Beginnen Sie die Zahlung bei ${merchant} noch einmal.`,
    },
  },
  notPaid: 'Es wurde nichts bezahlt.',
  reasons: {
    revoked: {
      title: 'Diese Karte ist gesperrt',
      text: () => 'Wenden Sie sich an Ihre Bank, oder verwenden Sie eine andere Karte.',
    },
    suspended: {
      title: 'Diese Karte ist vorübergehend gesperrt',
      text: () => 'Wenden Sie sich an die Bank, die sie ausgegeben hat, oder verwenden Sie eine andere Karte.',
    },
    outdated: {
      title: 'Diese Karte ist zurzeit nicht gültig',
      text: () =>
        'Sie ist abgelaufen oder noch nicht gültig. Erneuern Sie sie in Ihrer Wallet, oder verwenden Sie eine andere.',
    },
    untrusted: {
      title: 'Diese Karte wird hier nicht akzeptiert',
      text: (merchant) => `${merchant} akzeptiert keine Karten dieser Stelle. Verwenden Sie eine andere Karte.`,
    },
    uncheckable: { title: 'Wir konnten Ihre Karte nicht prüfen' },
    wallet_error: {
      text: () =>
        'Vielleicht fehlt eine passende Karte oder ein Update. Fügen Sie eine Karte hinzu oder verwenden Sie eine andere Wallet, und versuchen Sie es noch einmal.',
    },
    cancelled: {
      title: 'Zahlung zurückgezogen',
      text: (merchant) => `${merchant} hat diese Zahlung zurückgezogen. Es wurde nichts bezahlt.`,
    },
  },
}
