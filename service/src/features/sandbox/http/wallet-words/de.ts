// The test wallet in German.

import type { WalletWords } from './words.ts'

export const de: WalletWords = {
  title: 'Test-Wallet',
  ribbon: 'Test-Wallet: erfundene Person, keine echten Daten',
  link: {
    heading: 'Anfrage öffnen',
    intro:
      'Fügen Sie den Link ein, den eine Wallet-App öffnen würde. Oder wählen Sie auf der Seite einer Prüfung „Mit der Test-Wallet antworten“.',
    label: 'Wallet-Link',
    open: 'Anfrage öffnen',
    another: 'Andere Anfrage öffnen',
    holds: 'In dieser Wallet',
  },
  closed: {
    link: {
      title: 'Das ist kein Wallet-Link',
      text: 'Ein Wallet-Link beginnt mit openid4vp:// oder av://. Kopieren Sie ihn vollständig.',
    },
    foreign: {
      title: 'Dieser Link gehört nicht hierher',
      text: 'Dieser Link gehört zu keiner Prüfung dieses Dienstes. Kopieren Sie ihn vollständig, oder legen Sie eine neue Prüfung an.',
    },
    live: {
      title: 'Diese Anfrage ist live',
      text: 'Die Test-Wallet beantwortet nur Prüfungen im Testmodus. Legen Sie eine mit einem Testschlüssel an.',
    },
    answered: {
      title: 'Schon beantwortet',
      text: 'Jede Anfrage lässt sich einmal beantworten. Legen Sie für einen weiteren Versuch eine neue Prüfung an.',
    },
    expired: {
      title: 'Diese Anfrage ist abgelaufen',
      text: 'Bis zum Ablauf kam keine Antwort. Legen Sie für einen weiteren Versuch eine neue Prüfung an.',
    },
    unavailable: {
      title: 'Die Anfrage ließ sich nicht abrufen',
      text: 'Der Dienst hat sie nicht herausgegeben. Gehen Sie zurück zur Seite der Prüfung und öffnen Sie die Wallet dort.',
    },
    request: {
      title: 'Die Wallet lehnt diese Anfrage ab',
      text: 'Die Anfrage verletzt eine Regel des Protokolls. Jede konforme Wallet würde sie ablehnen.',
    },
    nothing_held: {
      title: 'Es wurde nichts übermittelt',
      text: 'Diese Wallet enthält keinen passenden Nachweis, oder sie hat abgelehnt. Die Anfrage ist noch offen.',
    },
    choice: {
      title: 'Das geht nicht',
      text: 'Diese Auswahl unterstützt die Test-Wallet nicht. Gehen Sie zurück und wählen Sie etwas anderes.',
    },
  },
  certificate: 'Zertifikat',
  unsigned: 'Diese Anfrage ist nicht signiert. Die Antwort geht an',
  registered: 'Registriert',
  registeredFor: 'Registriert für',
  warns: 'Ihre Wallet warnt Sie',
  warnings: {
    unregistered:
      'Dieser Anbieter hat nicht gezeigt, dass er diese Angaben abfragen darf. Im Testmodus ist das normal.',
    several_registrations: 'Dieser Anbieter zeigt mehr als eine Registrierung.',
    malformed_registration: 'Die Registrierung ist nicht lesbar.',
    untrusted_registration: 'Die Registrierung stammt von keiner Stelle, der diese Wallet vertraut.',
    expired_registration: 'Die Registrierung ist abgelaufen.',
    revoked_registration: 'Die Registrierung wurde widerrufen.',
    unknown_status: 'Es ließ sich nicht feststellen, ob die Registrierung widerrufen wurde.',
    wrong_party: 'Die Registrierung gehört jemand anderem.',
    wrong_intermediary: 'Die Registrierung nennt diesen Anbieter nicht als Vermittler.',
    service_mismatch: 'Die Registrierung gilt für einen anderen Dienst als den, der fragt.',
    over_asking: 'Dieser Anbieter fragt mehr an, als registriert ist.',
  },
  agree: {
    title: 'Das bestätigen Sie mit Ihrer Unterschrift',
    type: 'Art',
    exact: 'Was Sie genau unterschreiben',
    letterForLetter: 'Dieser Text wird Zeichen für Zeichen gehasht und signiert',
  },
  shares: 'Das übermitteln Sie',
  paysWith: 'Sie zahlen mit',
  choose: 'Womit möchten Sie antworten?',
  optional: 'Freiwillig',
  withhold: 'Nicht übermitteln',
  holdsIt: 'Dass Sie es haben',
  noMatch: 'Diese Wallet enthält keinen Nachweis, der zu dieser Anfrage passt. Sie können nur ablehnen.',
  exactRequest: 'Was angefragt wird',
  technical: 'Technische Details',
  consent: { share: 'Übermitteln', confirm: 'Bestätigen', signIn: 'Anmelden', pay: (amount) => `${amount} zahlen` },
  decline: 'Ablehnen',
  trial: {
    scenario: 'Testfall',
    succeeds: 'Soll gelingen',
    fails: 'Soll fehlschlagen',
    more: 'Weitere Testoptionen',
    channel: 'Wie die Wallet gefragt wird',
    transaction: 'Was die Wallet signiert',
    exactly: 'Genau das, was Sie bestätigen',
  },
  channels: {
    link: 'Über den Link, wie eine Wallet-App',
    'openid4vp-v1-signed': 'Über diesen Browser: Digital Credentials API mit OpenID4VP',
    'org-iso-mdoc': 'Über diesen Browser: Digital Credentials API mit ISO 18013-7 Anhang C (nur mdoc)',
  },
  scenarios: {
    good: 'Alles wie angefragt',
    declined: 'Die Person lehnt ab',
    expired: 'Der Nachweis ist gestern abgelaufen',
    revoked: 'Der Nachweis ist widerrufen',
    suspended: 'Der Nachweis ist gesperrt',
    untrusted: 'Ein nicht vertrauenswürdiger Aussteller gleichen Namens',
    wrong_nonce: 'An eine andere Nonce gebunden',
    wrong_audience: 'An einen anderen Anbieter gebunden',
    tampered: 'Die Daten wurden nach der Signatur des Ausstellers geändert',
    replayed: 'Antwort auf eine frühere Anfrage, noch einmal gesendet',
    missing_claim: 'Eine der angefragten Angaben fehlt',
    over_disclosing: 'Alle Angaben werden übermittelt, auch nicht angefragte',
  },
  answered: 'Antwort gesendet',
  failed: 'Prüfung fehlgeschlagen',
  declined: 'Sie haben diese Anfrage abgelehnt.',
  stillOpen: {
    title: 'Es wurde nichts übermittelt',
    text: 'Sie haben in diesem Browser abgelehnt. Die Anfrage ist noch offen und kann beantwortet werden.',
  },
  expected: (scenario) => `Das ist das erwartete Ergebnis: Sie haben den Testfall „${scenario}“ gewählt.`,
  unexpected: (scenario, end) =>
    end === null
      ? `Nicht das übliche Ergebnis: Der Testfall „${scenario}“ soll gelingen.`
      : `Nicht das übliche Ergebnis: Der Testfall „${scenario}“ soll mit ${end} fehlschlagen.`,
  shared: 'Das haben Sie übermittelt',
  onward: (merchant) => `Weiter zu ${merchant}`,
  back: 'Zurück zur Anfrage',
  facts: { http: 'HTTP-Status der Antwort', status: 'Status der Prüfung', error: 'Fehlercode' },
}
