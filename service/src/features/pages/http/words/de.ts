// The hosted page in German.

import type { Words } from './words.ts'

export const de: Words = {
  confirmAge: (merchant, age) => `Bestätigen Sie ${merchant}, dass Sie mindestens ${age} Jahre alt sind`,
  share: (merchant, list) =>
    list === null ? `Ihre Angaben an ${merchant} übermitteln` : `${list} an ${merchant} übermitteln`,
  receives: (merchant) => `${merchant} erhält`,
  yesOrNo: (age) => `Ob Sie mindestens ${age} sind (nur\u00a0Ja\u00a0oder\u00a0Nein)`,
  colon: ':',
  why: 'Grund',
  registeredPurpose: 'Registrierter Zweck',
  agree: {
    asks: (merchant) => `${merchant} bittet um Ihre Bestätigung`,
    title: 'Das bestätigen Sie in Ihrer Wallet',
    payTo: (payee) => `Zahlung an ${payee}`,
    paidTo: (payee) => `an ${payee}`,
    asksToPay: (merchant, payee) => `${merchant} bittet Sie, an ${payee} zu zahlen.`,
    reference: 'Referenz',
    pay: (amount, payee) => `${amount} an ${payee} zahlen`,
    onlyThere: 'Ihre Wallet zeigt Betrag und Empfänger. Sie zahlen erst, wenn Sie dort bestätigen.',
    recurring: 'Diese Zahlung wiederholt sich.',
    sign: 'Unterschreiben',
  },
  documents: 'Akzeptierte Nachweise',
  presents: 'Was Ihre Wallet zur Prüfung übermittelt',
  birthDateForAge:
    'Kann Ihre Wallet Ihr Alter nur mit dem Geburtsdatum belegen, übermittelt sie es uns zur Prüfung. Wir speichern es nicht und geben es nicht weiter.',
  issuerToo: (merchant) => `${merchant} sieht auch, welche Art von Nachweis Sie verwenden und wer ihn ausgestellt hat.`,
  scan: 'Scannen Sie den Code mit der Kamera Ihres Smartphones, um Ihre Wallet zu öffnen.',
  qr: 'QR-Code, der Ihre Wallet öffnet',
  sameDevice: { wide: 'Wallet auf diesem Gerät öffnen', narrow: 'Wallet öffnen' },
  ageApp: 'EU-Alters-App öffnen',
  anotherDevice: 'Anderes Gerät verwenden',
  codeAgain: 'Code noch einmal zeigen',
  walletAgain: 'Wallet noch einmal öffnen',
  browser: {
    ask: 'Wallet auswählen',
    otherOptions: 'Weitere Möglichkeiten',
    orScan: 'oder per Smartphone scannen',
    sending: 'Ihre Antwort ist unterwegs…',
    failed: 'Das hat nicht geklappt. Versuchen Sie es noch einmal oder wählen Sie eine andere Möglichkeit.',
  },
  signIn: {
    asks: (merchant) => `Mit Ihrer Wallet bei ${merchant} anmelden`,
    cancel: 'Anmeldung abbrechen',
    onward: 'Weiter',
    startThere: 'Um sich auf Ihrem Smartphone anzumelden, öffnen Sie die Website dort.',
    how: 'Bestätigen Sie in Ihrer Wallet, und Sie sind angemeldet. Ein Passwort brauchen Sie nicht.',
    howWithCode:
      'Scannen Sie den Code und bestätigen Sie in Ihrer Wallet. Ihr Smartphone zeigt dann einen Code, den Sie hier eingeben. Ein Passwort brauchen Sie nicht.',
  },
  timeLeft: 'Verbleibende Zeit',
  test: 'Testmodus: keine echten Daten.',
  testWallet: 'Mit der Test-Wallet antworten',
  reload: 'JavaScript ist in Ihrem Browser ausgeschaltet. Laden Sie die Seite neu, um das Ergebnis zu sehen.',
  offline: 'Sie sind offline. Sobald Sie wieder online sind, geht es hier weiter.',
  cookies:
    'Ihr Browser blockiert Cookies für diese Seite. Deshalb können Sie hier keine Wallet auswählen. QR-Code und Wallet-Link funktionieren trotzdem.',
  privacy: 'Ihre Wallet zeigt Ihnen alles, bevor Sie es übermitteln.',
  noWallet: {
    title: 'Noch keine Wallet?',
    text: 'Eine Wallet ist eine App, die Ihren digitalen Ausweis auf dem Smartphone aufbewahrt. Installieren Sie die App Ihres Landes, fügen Sie Ihren Ausweis hinzu und kommen Sie dann zurück.',
  },
  privacyPolicy: 'Datenschutzerklärung',
  support: 'Hilfe',
  language: 'Sprache',
  progress: {
    label: 'Fortschritt',
    opened: 'Anfrage geöffnet',
    onPhone: 'Auf dem Smartphone bestätigen',
    inWallet: 'In der Wallet bestätigen',
    confirmed: 'In der Wallet bestätigt',
    check: 'Wir prüfen Ihren Nachweis',
    result: (merchant) => `${merchant} erhält das Ergebnis`,
  },
  steps: {
    waiting: { title: 'Wir warten auf Ihre Wallet', text: () => 'Danach geht es hier automatisch weiter.' },
    fetched: {
      title: 'Weiter in Ihrer Wallet',
      text: () => 'Prüfen Sie, was übermittelt wird. Dann bestätigen Sie oder lehnen ab.',
    },
    checking: {
      title: 'Ihr Nachweis wird geprüft',
      text: () => 'Das dauert meist nur wenige Sekunden. Bitte lassen Sie diese Seite geöffnet.',
    },
    completed: { title: 'Fertig', text: (merchant) => `${merchant} hat das Ergebnis erhalten.` },
    declined: {
      title: 'Es wurde nichts übermittelt',
      text: () => 'Sie haben abgelehnt, oder Ihre Wallet enthält keinen passenden Nachweis.',
    },
    failed: {
      title: 'Nachweis nicht bestätigt',
      text: () =>
        'Die Prüfung Ihres Nachweises ist fehlgeschlagen. Ihre Daten wurden nicht weitergegeben. Verwenden Sie einen anderen Nachweis.',
    },
    expired: {
      title: 'Dieser Link ist abgelaufen',
      text: (merchant) => `Es wurde nichts übermittelt. Bitten Sie ${merchant} um einen neuen Link.`,
    },
  },
  scanned: {
    title: 'Weiter auf Ihrem Smartphone',
    text: () => 'Ihre Wallet zeigt, was übermittelt wird. Dort bestätigen Sie oder lehnen ab.',
  },
  done: {
    age: { title: 'Alter geprüft', text: (merchant) => `${merchant} hat die Antwort erhalten.` },
    details: { title: 'Angaben übermittelt', text: (merchant) => `${merchant} hat sie erhalten.` },
    payment: { title: 'Zahlung bestätigt', text: (merchant) => `${merchant} hat Ihre Bestätigung erhalten.` },
    agreement: { title: 'Bestätigt', text: (merchant) => `${merchant} hat Ihre Bestätigung erhalten.` },
  },
  close: 'Sie können diese Seite schließen.',
  received: (merchant) => `Was ${merchant} erhalten hat`,
  notPassedOn: 'Ihre Daten wurden nicht weitergegeben.',
  reasons: {
    revoked: {
      title: 'Dieser Nachweis wurde widerrufen',
      text: () => 'Wenden Sie sich an die ausstellende Stelle, oder verwenden Sie einen anderen Nachweis.',
    },
    suspended: {
      title: 'Dieser Nachweis ist vorübergehend gesperrt',
      text: () => 'Wenden Sie sich an die ausstellende Stelle, oder verwenden Sie einen anderen Nachweis.',
    },
    outdated: {
      title: 'Dieser Nachweis ist zurzeit nicht gültig',
      text: () =>
        'Er ist abgelaufen oder noch nicht gültig. Erneuern Sie ihn in Ihrer Wallet, oder verwenden Sie einen anderen.',
    },
    untrusted: {
      title: 'Dieser Nachweis wird hier nicht akzeptiert',
      text: (merchant) => `${merchant} akzeptiert keine Nachweise dieser Stelle. Verwenden Sie einen anderen Nachweis.`,
    },
    incomplete: {
      title: 'Es fehlen Angaben',
      text: (merchant) =>
        `Ihre Wallet hat nicht alles übermittelt, was ${merchant} braucht. Versuchen Sie es noch einmal und geben Sie alles frei.`,
    },
    uncheckable: {
      title: 'Wir konnten Ihren Nachweis nicht prüfen',
      text: () =>
        'Wir konnten nicht feststellen, ob er noch gültig ist. Versuchen Sie es in ein paar Minuten noch einmal.',
    },
    wallet_error: {
      title: 'Ihre Wallet meldet einen Fehler',
      text: () =>
        'Vielleicht fehlt ein passender Nachweis oder ein Update. Fügen Sie einen Nachweis hinzu oder verwenden Sie eine andere Wallet, und versuchen Sie es noch einmal.',
    },
    not_confirmed: {
      title: 'In der Wallet nicht bestätigt',
      text: (merchant) =>
        `Ihre Wallet hat Ihre Zustimmung nicht bestätigt. Versuchen Sie es noch einmal, oder wenden Sie sich an ${merchant}.`,
    },
    cancelled: {
      title: 'Anfrage zurückgezogen',
      text: (merchant) => `${merchant} hat diese Anfrage zurückgezogen. Es wurde nichts übermittelt.`,
    },
  },
  contact: (merchant) => `${merchant} kontaktieren`,
  back: (merchant) => `Zurück zu ${merchant}`,
  again: (merchant) => `Bei ${merchant} erneut versuchen`,
  elsewhere: {
    signIn: {
      title: 'Diese Anmeldung wurde in einem anderen Browser begonnen',
      texts: [
        'Es wurde nichts übermittelt.',
        'Wenn Sie sich anmelden möchten, öffnen Sie die Website und beginnen Sie dort. Hat Ihnen jemand diesen Link geschickt, machen Sie nicht weiter: Vielleicht will sich jemand als Sie anmelden.',
        'Haben Sie hier begonnen? Dann blockiert Ihr Browser Cookies für diese Seite. Erlauben Sie sie und beginnen Sie noch einmal.',
      ],
    },
    signInOver: {
      title: 'Diese Anmeldung ist beendet',
      texts: [
        'Wenn Sie angemeldet sind, können Sie diese Seite schließen.',
        'Wenn Sie sich anmelden möchten, öffnen Sie die Website und beginnen Sie dort. Hat Ihnen jemand diesen Link geschickt, wollte sich vielleicht jemand als Sie anmelden.',
      ],
    },
    held: {
      title: 'Diese Anfrage ist in einem anderen Browser geöffnet',
      texts: [
        'Hier wurde nichts übermittelt.',
        'Machen Sie in dem Browser weiter, in dem Sie sie zuerst geöffnet haben. Waren das nicht Sie, bitten Sie um einen neuen Link und verwenden Sie diesen nicht.',
      ],
    },
  },
  stops: {
    busy: {
      title: 'Zu viele Versuche',
      text: 'Warten Sie eine Minute und versuchen Sie es noch einmal.',
    },
    away: {
      title: 'Diese Seite ist gerade nicht erreichbar',
      text: 'Versuchen Sie es gleich noch einmal.',
    },
  },
  tryAgain: 'Noch einmal versuchen',
  tryAnother: 'Mit anderem Nachweis versuchen',
  goBack: 'Zurück',
  unknown: {
    title: 'Anfrage nicht gefunden',
    text: 'Diese Anfrage gibt es nicht oder nicht mehr. Gehen Sie zurück zu der Website oder Nachricht, von der Sie kommen, und öffnen Sie den Link dort noch einmal.',
  },
}
