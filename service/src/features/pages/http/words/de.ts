// The hosted page in German.

import type { Words } from './words.ts'

export const de: Words = {
  confirmAge: (merchant, age) => `Bestätigen Sie ${merchant}, dass Sie mindestens ${age} sind`,
  share: (merchant, list) =>
    list === null ? `Ihre Angaben an ${merchant} übermitteln` : `${list} an ${merchant} übermitteln`,
  receives: (merchant) => `${merchant} erhält`,
  yesOrNo: (age) => `mindestens ${age}, ja oder nein`,
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
  documents: 'Akzeptiert',
  presents: 'Was Ihre Wallet dafür zeigt',
  birthDateForAge:
    'Kann Ihre Wallet Ihr Alter nur mit dem Geburtsdatum belegen, übermittelt sie es uns zur Prüfung; wir speichern es nicht und geben es nicht weiter.',
  issuerToo: (merchant) =>
    `Außerdem sieht ${merchant}, welche Art von Nachweis Sie verwendet haben und wer ihn ausgestellt hat.`,
  scan: 'Scannen Sie diesen Code mit dem Handy, auf dem Sie Ihre Wallet haben.',
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
  test: 'Testmodus: keine echten Daten',
  testWallet: 'Mit der Test-Wallet antworten',
  reload: 'Ihr Browser führt hier keine Skripte aus. Laden Sie die Seite neu, um zu sehen, wie es ausging.',
  offline: 'Sie sind offline. Die Seite macht von selbst weiter, sobald Sie wieder verbunden sind.',
  cookies:
    'Ihr Browser blockiert Cookies für diese Seite und kann deshalb nicht selbst eine Wallet fragen. Der Code und der Link funktionieren auch ohne.',
  privacy: 'Ihre Wallet zeigt, was übermittelt wird. Dort entscheiden Sie.',
  noWallet: {
    title: 'Noch keine Wallet?',
    text: 'Eine Wallet ist eine App, die Ihren digitalen Ausweis auf dem Handy aufbewahrt. Installieren Sie die App Ihres Landes, fügen Sie Ihren Ausweis hinzu und kommen Sie dann zurück.',
  },
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
    waiting: { title: 'Wir warten auf Ihre Wallet', text: 'Diese Seite aktualisiert sich von selbst.' },
    fetched: {
      title: 'Weiter in Ihrer Wallet',
      text: 'Ihre Wallet hat die Anfrage geöffnet. Prüfen Sie dort, was übermittelt wird, und bestätigen Sie oder lehnen Sie ab.',
    },
    checking: { title: 'Wird geprüft', text: 'Ihre Antwort ist da. Das dauert einen Augenblick.' },
    completed: {
      title: 'Fertig',
      text: 'Ihr Nachweis wurde geprüft und das Ergebnis übermittelt. Sie können diese Seite schließen.',
    },
    declined: {
      title: 'Anfrage abgelehnt',
      text: 'Es wurde nichts weitergegeben. Sie haben in der Wallet abgelehnt, oder sie enthält keinen passenden Nachweis.',
    },
    failed: {
      title: 'Wir konnten das nicht bestätigen',
      text: 'Ihre Wallet hat geantwortet, aber die Prüfung ist fehlgeschlagen. Ihre Daten wurden nicht weitergegeben. Versuchen Sie es mit einem anderen Nachweis.',
    },
    expired: {
      title: 'Dieser Link ist abgelaufen',
      text: 'Es wurde nichts weitergegeben. Bitten Sie um einen neuen Link.',
    },
  },
  scanned: {
    title: 'Code gescannt',
    text: 'Machen Sie auf Ihrem Handy weiter. Ihre Wallet zeigt, was sie übermittelt: Bestätigen Sie dort oder lehnen Sie ab.',
  },
  reasons: {
    revoked: {
      title: 'Dieser Nachweis wurde widerrufen',
      text: (merchant) =>
        `Die ausstellende Stelle hat ihn widerrufen. Verwenden Sie einen anderen, oder wenden Sie sich an ${merchant}.`,
    },
    suspended: {
      title: 'Dieser Nachweis ist gesperrt',
      text: (merchant) =>
        `Die ausstellende Stelle hat ihn vorübergehend gesperrt. Fragen Sie dort nach, verwenden Sie einen anderen, oder wenden Sie sich an ${merchant}.`,
    },
    outdated: {
      title: 'Dieser Nachweis ist heute nicht gültig',
      text: () =>
        'Er ist abgelaufen oder noch nicht gültig. Erneuern Sie ihn in Ihrer Wallet und versuchen Sie es noch einmal.',
    },
    untrusted: {
      title: 'Dieser Nachweis wird hier nicht akzeptiert',
      text: (merchant) =>
        `${merchant} akzeptiert keine Nachweise dieser Stelle. Verwenden Sie einen anderen, oder wenden Sie sich an ${merchant}.`,
    },
    incomplete: {
      title: 'Es hat etwas gefehlt',
      text: (merchant) =>
        `Ihre Wallet hat nicht alles übermittelt, was ${merchant} braucht. Versuchen Sie es noch einmal und geben Sie alles frei.`,
    },
    uncheckable: {
      title: 'Wir konnten Ihren Nachweis nicht prüfen',
      text: () =>
        'Ob er noch gültig ist, ließ sich gerade nicht feststellen. Versuchen Sie es in ein paar Minuten noch einmal.',
    },
    wallet_error: {
      title: 'Ihre Wallet meldet einen Fehler',
      text: () =>
        'Vielleicht enthält sie keinen passenden Nachweis oder braucht ein Update. Öffnen Sie sie erneut, fügen Sie einen Nachweis hinzu oder verwenden Sie eine andere Wallet, und versuchen Sie es noch einmal.',
    },
    not_confirmed: {
      title: 'In der Wallet nicht bestätigt',
      text: (merchant) =>
        `Ihre Wallet hat nicht bestätigt, wozu Sie Ihre Zustimmung geben sollten. Versuchen Sie es noch einmal, oder wenden Sie sich an ${merchant}.`,
    },
    cancelled: {
      title: 'Anfrage zurückgezogen',
      text: (merchant) => `${merchant} hat diese Anfrage zurückgezogen. Es wurde nichts weitergegeben.`,
    },
  },
  contact: (merchant) => `${merchant} kontaktieren`,
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
  stops: {
    busy: {
      title: 'Zu viele Versuche',
      text: 'Es wurde nichts weitergegeben. Warten Sie eine Minute und versuchen Sie es noch einmal.',
    },
    away: {
      title: 'Diese Seite ist gerade nicht erreichbar',
      text: 'Es wurde nichts weitergegeben. Versuchen Sie es gleich noch einmal.',
    },
  },
  tryAgain: 'Noch einmal versuchen',
  unknown: {
    title: 'Anfrage nicht gefunden',
    text: 'Diese Anfrage gibt es nicht, oder sie wurde entfernt. Bitte lassen Sie sich einen neuen Link geben.',
  },
}
