// Deutsch: die Seite einer Prüfung.

import type { VerificationWords } from './words-en.ts'

export const de: VerificationWords = {
  steps: {
    created: 'Erstellt',
    fetched: 'Die Wallet hat die Anfrage abgerufen',
    answered: 'Die Wallet hat geantwortet',
    redeemed: 'Der Antwortcode wurde eingelöst',
    read: 'Ihr System hat das Ergebnis gelesen',
    forgotten: 'Angaben und Nachweise wurden gelöscht',
    cancelled: 'Vor der Antwort abgebrochen',
    expired: 'Nicht rechtzeitig beantwortet',
    expires: 'Gültig bis',
    forgets: 'Angaben und Nachweise werden spätestens gelöscht',
  },
  attempt: (n) => `Webhook, Versuch ${n}`,
  nextAttempt: (n) => `Webhook, Versuch ${n} ist fällig`,
  attemptRunning: 'läuft',
  attemptTook: (duration) => `Dauer: ${duration}`,
  attemptAnswered: (status) => (status < 300 ? `Mit ${status} angenommen` : `Mit ${status} abgelehnt`),
  attemptFailures: {
    egress_denied: 'An diese Adresse dürfen wir nicht senden.',
    dns_failure: 'Der Hostname wurde nicht gefunden.',
    connect_timeout: 'Der Server hat die Verbindung nicht rechtzeitig angenommen.',
    connect_error: 'Der Server hat die Verbindung abgelehnt.',
    tls_error: 'Die verschlüsselte Verbindung ist fehlgeschlagen. Prüfen Sie das Zertifikat des Servers.',
    timeout: 'Der Server hat nicht rechtzeitig geantwortet.',
    protocol_error: 'Die Antwort war kein gültiges HTTP.',
    response_too_large: 'Die Antwort war zu groß.',
  },
  after: (duration) => `nach ${duration}`,
  seeWebhooks: 'Alle Zustellungen',

  outcome: {
    completed: 'Nach Ihren Einstellungen angenommen.',
    confirmed: 'Prüfung abgeschlossen',
    born: (name, day) => `${name}, geboren am ${day}`,
    deleted: 'Die Personendaten wurden gelöscht',
    encrypted: 'Das Ergebnis ist für Sie verschlüsselt',
    expired: 'Es kam keine Antwort. Das sagt nichts über die Person aus.',
    cancelled: 'Diese Prüfung wurde abgebrochen. Es wurden keine Daten geteilt.',
    why: 'Prüfung fehlgeschlagen',
    next: 'Was zu tun ist',
    technical: 'Technische Details',
  },
  remedies: {
    wallet_declined:
      'Starten Sie eine neue Prüfung, wenn die Person einverstanden ist. Erklären Sie, warum Sie fragen, und fragen Sie weniger ab: Dann lehnen weniger Personen ab.',
    wallet_error:
      'Starten Sie eine neue Prüfung. Passiert es mit derselben Wallet wieder, melden Sie ihrem Hersteller Zeit und ID.',
    query_not_satisfied:
      'Vielleicht hat die Person einen anderen Nachweis. Nehmen Sie in Ihrer Vorlage mehr Nachweise an oder fragen Sie weniger ab.',
    credential_invalid:
      'Nehmen Sie diesen Nachweis nicht an. Starten Sie eine neue Prüfung. Passiert es auch bei anderen, wenden Sie sich an den Aussteller.',
    issuer_untrusted:
      'Nehmen Sie diesen Nachweis nicht an, wenn Sie den Aussteller nicht kennen. Möchten Sie seine Nachweise annehmen, fügen Sie ihn zu Ihren vertrauenswürdigen Ausstellern hinzu.',
    holder_binding_invalid:
      'Nehmen Sie diesen Nachweis nicht an. Die Wallet hat nicht bewiesen, dass er zu ihr gehört. Starten Sie eine neue Prüfung.',
    credential_expired:
      'Bitten Sie die Person, den Nachweis beim Aussteller zu erneuern, und starten Sie dann eine neue Prüfung.',
    credential_revoked: 'Nehmen Sie diesen Nachweis nicht an. Den Grund kann die Person beim Aussteller erfragen.',
    credential_suspended: 'Nehmen Sie diesen Nachweis vorerst nicht an. Der Aussteller kann die Aussetzung aufheben.',
    status_unavailable:
      'Versuchen Sie es später erneut. In den Einstellungen legen Sie fest, was bei nicht erreichbarer Liste passiert.',
    proof_unavailable: 'Versuchen Sie es später erneut. Der Prüfdienst des Betreibers hat nicht geantwortet.',
    claim_conflict:
      'Fragen Sie nach einem einzigen Nachweis. Mit `multiple` fragen Sie bei jedem dieselben Angaben ab, ohne `claim_sets`.',
  },

  openPages: {
    trust: 'Vertrauenswürdige Aussteller verwalten',
    templates: 'Vorlagen öffnen',
    settings: 'Einstellungen öffnen',
  },

  tryIt: 'Probieren Sie es selbst aus:',
  testWallet: 'Test-Wallet öffnen',

  claims: 'Geprüfte Angaben',
  claim: 'Angabe',
  value: 'Wert',
  yes: 'Ja',
  no: 'Nein',
  nothing: 'nicht angegeben',
  sexes: {
    0: 'nicht bekannt',
    1: 'männlich',
    2: 'weiblich',
    3: 'anderes',
    4: 'inter',
    5: 'divers',
    6: 'offen',
    9: 'nicht anwendbar',
  },
  characters: (n) => `${n} Zeichen`,
  portrait: 'Lichtbild der Person',
  portraitHidden: {
    jpeg_2000: (size) => `Ein JPEG-2000-Bild (${size}), das Browser nicht anzeigen können.`,
    too_large: (size) => `Dieses Bild ist zu groß, um es hier anzuzeigen (${size}).`,
    unknown: (size) => `Dieses Bildformat lässt sich hier nicht anzeigen (${size}).`,
  },
  privileges: { category: 'Klasse', issued: 'Seit', expires: 'Bis', codes: 'Auflagen', none: 'keine' },
  claimsHidden: 'Mit Ihrer Rolle sehen Sie, welche Angaben es gibt, aber nicht ihre Werte.',
  noClaims: {
    pending: 'Angaben erscheinen hier, sobald die Person antwortet.',
  },

  checks: 'Prüfschritte',
  document: 'Nachweis',
  issuer: 'Ausgestellt von',
  unknownDocument: 'Aussteller nicht bestätigt',
  proofs: {
    signature: {
      title: 'Echt',
      proven: 'Die Signatur des Ausstellers ist gültig, und der Nachweis ist unverändert.',
      failed: 'Die Signatur des Ausstellers ist ungültig, oder der Nachweis wurde verändert.',
    },
    trust: {
      title: 'Vertrauenswürdiger Aussteller',
      proven: 'Sie vertrauen diesem Aussteller für diese Art von Nachweis.',
      failed: 'Diesem Aussteller vertrauen Sie für diese Art von Nachweis nicht.',
    },
    validity: {
      title: 'Gültigkeitsdatum',
      proven: 'Der Nachweis war zu diesem Zeitpunkt gültig.',
      failed: 'Der Nachweis war abgelaufen oder noch nicht gültig.',
    },
    holder: {
      title: 'Gehört zu dieser Wallet',
      proven:
        'Die Wallet hat für diese Anfrage bewiesen, dass sie den Schlüssel des Nachweises besitzt. Ob die Person selbst das Gerät in der Hand hält, ist damit nicht geprüft.',
      failed: 'Die Wallet hat nicht bewiesen, dass sie den Schlüssel des Nachweises besitzt.',
    },
    status: {
      title: 'Widerruf',
      proven: 'Laut der Liste des Ausstellers war der Nachweis weder widerrufen noch ausgesetzt.',
      failed: 'Der Aussteller hat den Nachweis widerrufen oder ausgesetzt, oder seine Liste war nicht erreichbar.',
    },
    question: {
      title: 'Passt zur Anfrage',
      proven: 'Es ist ein Nachweis, den Sie verlangt haben, mit allen verlangten Angaben.',
      failed: 'Diesen Nachweis haben Sie nicht verlangt, oder es fehlt etwas.',
    },
  },
  states: {
    proven: 'Bestanden',
    failed: 'Fehlgeschlagen',
    warning: 'Warnung',
    skipped: 'Nicht anwendbar',
    unchecked: 'Nicht geprüft',
    not_provable: 'Nicht prüfbar',
  },
  statesLong: {
    warning: 'Mit einer Warnung angenommen, wie in Ihren Einstellungen festgelegt.',
    skipped: 'Der Nachweis hat keine Widerrufsliste.',
    unchecked: 'Übersprungen, weil ein früherer Prüfschritt fehlgeschlagen ist.',
    not_provable:
      'Die Wallet hat die Antwort bewiesen, ohne den Nachweis zu zeigen. Ob er widerrufen wurde, lässt sich deshalb nicht feststellen.',
  },
  reservation: 'Warnung',
  noChecks: {
    failed: 'Es gab keinen Nachweis zu prüfen.',
    completed: 'Mit den Angaben gelöscht. Die Antwort wurde nach Ihren Einstellungen angenommen.',
    forgotten: 'Gelöscht. Nur der Grund oben ist noch gespeichert.',
  },

  wallets: {
    title: 'Abrufe durch Wallets',
    sent: (time: string) => `Anfrage gesendet, ${time}`,
    refused: (time: string) => `Diese Wallet kann die Anfrage nicht beantworten, ${time}`,
    missing: (needed: string, list: string) => `Die Wallet unterstützt ${needed} nicht (${list}).`,
    whole: 'Die ganze Anfrage wurde gesendet.',
    leftOut: (ids: string) => `Weggelassen, weil die Wallet es nicht unterstützt: ${ids}`,
    encrypted: (curve: string) => `Mit dem Schlüssel der Wallet verschlüsselt (${curve}).`,
    undeclared: 'Die Wallet hat nicht angegeben, was sie unterstützt.',
    declared: 'Was die Wallet unterstützt',
    others: (count: number) => (count === 1 ? '1 weiterer Wert' : `${count} weitere Werte`),
  },
  request: 'Anfrage an die Wallet',
  requestLead:
    'Aus gespeicherten Daten rekonstruiert. Die Anfrage wurde bei jedem Abruf neu signiert, deshalb fehlt die Signatur.',
  requestByAgeLink: 'Beantwortet über den unsignierten Link des EU-Altersprofils. Das sind seine Parameter.',
  requestKey: {
    in_request: 'Die Antwort wird mit einem Schlüssel nur für diese Prüfung verschlüsselt.',
    destroyed: 'Der Schlüssel der Antwort wurde vernichtet und fehlt deshalb unten.',
    none: 'Die Antwort war nicht verschlüsselt.',
  },
  requestBuiltIn: 'Die Frage stammt aus einer mitgelieferten Vorlage dieser Version.',
  requestParts: {
    client: 'Client (client_id)',
    mode: 'Antwortmodus (response mode)',
    uri: 'Antwortadresse (response_uri)',
    origin: 'Origin des Browsers',
    registration: 'Registrierung',
    question: 'Frage',
  },
  notRegistered: 'ohne Registrierungszertifikat',
  registrationForgotten: 'ein Registrierungszertifikat, das nicht mehr aufbewahrt wird',
  privacyPolicy: 'Datenschutzerklärung',
  decoded: 'Dekodiertes Anfrageobjekt',
  linkParameters: 'Parameter des Links',

  about: 'Details',
  by: 'Erstellt von',
  created: 'Erstellt',
  ends: 'Endet',
  ended: 'Beendet',
  purpose: 'Zweck',
  channel: 'Beantwortet über',
  webhook: 'Webhook',
  redirect: 'Weiterleitung zu',
  receipt: 'Quittung',
  receiptLead: 'Von diesem Dienst signiert, ohne Personendaten. Sie bleibt auch nach einer Löschung erhalten.',
  forDevelopers: 'Für Entwickler',
  certificate: 'Bescheinigung (PDF)',
  certificateSoon:
    'Die Bescheinigung ist etwa eine Minute nach der Antwort fertig. Versuchen Sie es gleich noch einmal.',
  metadata: 'Metadaten',
  metadataLead: 'Von Ihrem System hinzugefügt. Ihre Kunden sehen sie nicht.',
  key: 'Name',

  gone: 'Prüfung nicht gefunden',
  goneLead:
    'Die ID ist falsch, gehört zur anderen Umgebung, oder die Prüfung wurde gelöscht. Das Protokoll zeigt, wer wann was gelöscht hat.',
  goneAudit: 'Protokoll öffnen',
}
