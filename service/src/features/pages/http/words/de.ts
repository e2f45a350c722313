// The hosted page in German.

import type { Words } from './words.ts'

export const de: Words = {
  asks: (merchant) => `${merchant} bittet Sie um einen Nachweis`,
  onBehalfOf: (tenant) => `Im Auftrag von ${tenant}`,
  colon: ':',
  why: 'Wozu',
  registeredPurpose: 'Registrierter Zweck',
  agree: {
    asks: (merchant) => `${merchant} bittet Sie um Ihre Zustimmung`,
    title: 'In Ihrer Wallet stimmen Sie zu',
    pay: (amount, payee) => `${amount} an ${payee} zahlen`,
    recurring: 'Diese Zahlung wiederholt sich.',
    sign: 'Unterschreiben',
  },
  what: 'Was gefragt wird',
  documents: 'Möglich mit',
  birthDateForAge:
    'Kann Ihre Wallet Ihr Alter nur mit dem Geburtsdatum belegen, zeigt sie dieses; wir speichern es nicht und geben es nicht weiter.',
  scan: 'Scannen Sie diesen Code mit der Kamera des Telefons, auf dem Ihre Wallet ist.',
  qr: 'QR-Code, der Ihre Wallet öffnet',
  sameDevice: 'Wallet auf diesem Gerät öffnen',
  ageApp: 'EU-Alters-App öffnen',
  anotherDevice: 'Anderes Gerät verwenden',
  codeAgain: 'Code noch einmal zeigen',
  browser: {
    ask: 'Wallet auf diesem Gerät oder Telefon verwenden',
    otherWays: 'Andere Wege',
    sending: 'Ihre Antwort ist unterwegs…',
    failed: 'Das hat nicht geklappt. Sie können es noch einmal versuchen oder einen der anderen Wege nehmen.',
  },
  signIn: {
    asks: (merchant) => `Mit Ihrer Wallet bei ${merchant} anmelden`,
    cancel: 'Anmeldung abbrechen',
    onward: 'Weiter',
    startThere:
      'Wenn Sie Ihr Handy verwenden möchten, öffnen Sie die Website auf dem Handy und melden Sie sich dort an.',
  },
  timeLeft: 'Verbleibende Zeit',
  test: 'Test: Es werden keine echten Daten verlangt',
  testWallet: 'Mit der Test-Wallet antworten',
  reload: 'Ihr Browser führt hier keine Skripte aus. Laden Sie die Seite neu, um zu sehen, wie es ausging.',
  offline: 'Sie sind offline. Die Seite macht von selbst weiter, sobald Sie wieder verbunden sind.',
  cookies:
    'Ihr Browser blockiert Cookies für diese Seite und kann deshalb nicht selbst eine Wallet fragen. Der Code und der Link funktionieren auch ohne.',
  privacy: 'In Ihrer Wallet sehen Sie, was gezeigt würde, und entscheiden dort. Diese Seite erfährt nichts davon.',
  privacyPolicy: 'Datenschutzerklärung',
  support: 'Hilfe',
  language: 'Sprache',
  way: {
    label: 'So geht es',
    scan: 'Code scannen',
    open: 'Wallet öffnen',
    onPhone: 'Auf dem Telefon weitermachen',
    inWallet: 'In der Wallet bestätigen',
    check: 'Wird geprüft',
    done: 'Fertig',
  },
  steps: {
    waiting: { title: 'Wir warten auf Ihre Wallet', text: 'Die Seite merkt von selbst, wenn Sie geantwortet haben.' },
    fetched: {
      title: 'In Ihrer Wallet geht es weiter',
      text: 'Ihre Wallet hat die Anfrage. Sehen Sie dort nach, was sie zeigen würde, und bestätigen Sie oder lehnen Sie ab.',
    },
    checking: { title: 'Wird geprüft', text: 'Ihre Antwort ist da. Das dauert einen Augenblick.' },
    completed: {
      title: 'Fertig',
      text: 'Ihre Antwort wurde geprüft und weitergegeben. Sie können diese Seite schließen.',
    },
    declined: {
      title: 'Sie haben abgelehnt',
      text: 'Es wurde nichts weitergegeben. Ihre Wallet hat abgelehnt oder hat nichts, was die Frage beantwortet.',
    },
    failed: {
      title: 'Nicht nachgewiesen',
      text: 'Ihre Wallet hat geantwortet, aber der Nachweis ließ sich nicht bestätigen. Es wurde nichts weitergegeben.',
    },
    expired: {
      title: 'Die Zeit ist abgelaufen',
      text: 'Diese Anfrage gilt nicht mehr. Bitte lassen Sie sich eine neue geben.',
    },
  },
  back: (merchant) => `Zurück zu ${merchant}`,
  again: (merchant) => `Bei ${merchant} noch einmal versuchen`,
  elsewhere: {
    signIn: {
      title: 'Diese Anmeldung wurde in einem anderen Browser begonnen',
      texts: [
        'Es wurde nichts weitergegeben.',
        'Wenn Sie sich anmelden möchten, öffnen Sie die Website und beginnen Sie dort. Hat Ihnen jemand diesen Link geschickt, machen Sie nicht weiter: Vielleicht will sich jemand als Sie anmelden.',
        'Haben Sie hier begonnen? Dann blockiert Ihr Browser Cookies für diese Seite. Erlauben Sie sie und beginnen Sie noch einmal.',
      ],
    },
    held: {
      title: 'Diese Anfrage ist in einem anderen Browser geöffnet',
      texts: [
        'Hier wurde nichts weitergegeben.',
        'Machen Sie in dem Browser weiter, in dem Sie sie zuerst geöffnet haben. Waren das nicht Sie, bitten Sie um einen neuen Link und verwenden Sie diesen nicht.',
      ],
    },
  },
  unknown: {
    title: 'Anfrage nicht gefunden',
    text: 'Diese Anfrage gibt es nicht, oder sie wurde entfernt. Bitte lassen Sie sich einen neuen Link geben.',
  },
}
