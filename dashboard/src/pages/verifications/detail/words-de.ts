// Deutsch: die Seite einer Prüfung.

import type { VerificationWords } from './words-en.ts'

export const de: VerificationWords = {
  steps: {
    created: 'Angelegt',
    fetched: 'Die Wallet hat die Anfrage geholt',
    answered: 'Die Wallet hat geantwortet',
    redeemed: 'Der Antwortcode wurde eingelöst',
    read: 'Ihr System hat das Ergebnis zuerst gelesen',
    forgotten: 'Angaben und Nachweise wurden vergessen',
    cancelled: 'Abgebrochen, bevor jemand antwortete',
    expired: 'Nicht rechtzeitig beantwortet',
    expires: 'Offen bis',
    forgets: 'Angaben und Nachweise werden spätestens vergessen',
  },
  attempt: (n) => `Webhook, Versuch ${n}`,
  nextAttempt: (n) => `Webhook, Versuch ${n} ist fällig`,
  attemptRunning: 'läuft',
  attemptTook: (duration) => `dauerte ${duration}`,
  attemptAnswered: (status) => (status < 300 ? `Mit ${status} angenommen` : `Mit ${status} abgelehnt`),
  attemptFailures: {
    egress_denied: 'Die Adresse führt dorthin, wohin wir nicht senden dürfen.',
    dns_failure: 'Der Name des Servers war nicht aufzulösen.',
    connect_timeout: 'Der Server hat die Verbindung nicht rechtzeitig angenommen.',
    connect_error: 'Der Server hat die Verbindung abgelehnt.',
    tls_error: 'Die verschlüsselte Verbindung kam nicht zustande: Sehen Sie das Zertifikat an.',
    timeout: 'Der Server hat nicht rechtzeitig geantwortet.',
    protocol_error: 'Der Server hat nicht in HTTP geantwortet.',
    response_too_large: 'Die Antwort war zu groß.',
  },
  after: (duration) => `nach ${duration}`,
  seeWebhooks: 'Alle Zustellungen',

  outcome: {
    completed: 'Alles, wonach gefragt wurde, ist nachgewiesen.',
    expired: 'Es kam keine Antwort. Das sagt nichts über die Person aus.',
    cancelled: 'Sie wurde zurückgenommen. Nichts wurde bekannt.',
    why: 'Warum sie scheiterte',
    next: 'Was Sie tun können',
    technical: 'Für Ihre Entwickler',
  },
  remedies: {
    wallet_declined:
      'Fragen Sie erneut, wenn die Person möchte. Sagen Sie, warum, und fragen Sie nach weniger: Beides wird seltener abgelehnt.',
    wallet_error:
      'Fragen Sie erneut. Bleibt es bei einer Wallet so, nennen Sie ihrem Hersteller Zeit und Kennung von oben.',
    query_not_satisfied:
      'Vielleicht hat die Person ein anderes Dokument. Lassen Sie mehr Dokumente zu, oder fragen Sie nach weniger, in Ihrer Vorlage:',
    credential_invalid:
      'Verlassen Sie sich nicht darauf. Fragen Sie erneut; ist es bei anderen ebenso, sagen Sie es dem Aussteller.',
    issuer_untrusted: 'Soll diesem Aussteller vertraut werden, gehört sein Zertifikat zu Ihren Vertrauensankern:',
    holder_binding_invalid:
      'Verlassen Sie sich nicht darauf: Wer es zeigte, hat nicht belegt, dass es ihm gehört. Fragen Sie erneut.',
    credential_expired: 'Die Person braucht ein neues Dokument vom Aussteller; fragen Sie dann erneut.',
    credential_revoked: 'Verlassen Sie sich nicht darauf. Den Grund kann die Person beim Aussteller erfragen.',
    credential_suspended: 'Verlassen Sie sich jetzt nicht darauf. Der Aussteller kann die Aussetzung aufheben.',
    status_unavailable:
      'Fragen Sie später erneut: Die Liste des Ausstellers war nicht zu lesen. Wie streng das gilt, ist eine Einstellung:',
    proof_unavailable: 'Fragen Sie später erneut: Die Prüfstelle des Betreibers für Beweise hat nicht geantwortet.',
    claim_conflict:
      'Fragen Sie erneut nach einem Nachweis. Mit `multiple` fragen Sie bei jedem nach denselben Angaben, ohne `claim_sets`.',
  },

  tryIt: 'Antworten Sie selbst, wie es die befragte Person täte:',
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
    jpeg_2000: (size) => `Ein Bild von ${size} in JPEG 2000, das Browser nicht zeichnen.`,
    too_large: (size) => `Ein Bild von ${size}: zu groß, um hier gezeichnet zu werden.`,
    unknown: (size) => `Kein Bild, das hier gezeichnet werden kann (${size}).`,
  },
  privileges: { category: 'Klasse', issued: 'Seit', expires: 'Bis', codes: 'Auflagen', none: 'keine' },
  claimsHidden: 'Ihre Rolle zeigt, welche Angaben es gibt, nicht ihre Werte.',
  noClaims: {
    pending: 'Sie erscheinen hier, sobald eine Wallet geantwortet hat.',
    failed: 'Keine: Was bei einer gescheiterten Prüfung vorgelegt wurde, sieht niemand.',
    expired: 'Keine: Es kam keine Antwort.',
  },

  checks: 'Was geprüft wurde',
  document: 'Dokument',
  issuer: 'Ausgestellt von',
  unknownIssuer: 'nicht angezeigt: nicht vertraut, oder die Signatur ist ungültig',
  unknownDocument: 'Dokument eines Ausstellers, der nicht bestätigt ist',
  proofs: {
    signature: {
      title: 'Echt',
      proven: 'Die Signatur des Ausstellers stimmt, und nichts wurde seither geändert.',
      failed: 'Die Signatur des Ausstellers stimmt nicht, oder etwas wurde geändert.',
    },
    trust: {
      title: 'Aussteller vertraut',
      proven: 'Das Zertifikat des Ausstellers führt zu einem Anker, dem Sie für dieses Dokument vertrauen.',
      failed: 'Das Zertifikat des Ausstellers führt zu keinem Anker, dem Sie für dieses Dokument vertrauen.',
    },
    validity: {
      title: 'An diesem Tag gültig',
      proven: 'Das Dokument war gültig, als es gezeigt wurde.',
      failed: 'Das Dokument war noch nicht oder nicht mehr gültig.',
    },
    holder: {
      title: 'Vom Inhaber gezeigt',
      proven: 'Die Wallet hat für genau diese Anfrage belegt, dass sie den Schlüssel des Dokuments hält.',
      failed: 'Die Wallet hat für diese Anfrage nicht belegt, dass sie den Schlüssel des Dokuments hält.',
    },
    status: {
      title: 'Nicht widerrufen',
      proven: 'Die Liste des Ausstellers wurde befragt: Das Dokument war weder widerrufen noch ausgesetzt.',
      failed: 'Der Aussteller hat es widerrufen oder ausgesetzt, oder seine Liste war nicht zu befragen.',
    },
    question: {
      title: 'Beantwortet die Frage',
      proven: 'Es ist ein Dokument, nach dem gefragt wurde, und gibt, was verlangt war (DCQL).',
      failed: 'Danach wurde nicht gefragt, oder es gibt nicht alles, was verlangt war (DCQL).',
    },
  },
  states: {
    proven: 'belegt',
    failed: 'gescheitert',
    warning: 'nicht sicher',
    skipped: 'nichts zu prüfen',
    unchecked: 'nicht geprüft',
    not_provable: 'nicht beweisbar',
  },
  statesLong: {
    warning: 'Mit einem Vorbehalt angenommen, wie Ihre Einstellungen es erlauben.',
    skipped: 'Das Dokument nennt keine Liste, in der das nachzusehen wäre.',
    unchecked: 'Nicht mehr angesehen: Davor war etwas gescheitert.',
    not_provable:
      'Die Wallet hat die Antwort bewiesen, ohne das Dokument zu zeigen. Ein solcher Beweis kann nicht zeigen, ob das Dokument widerrufen ist.',
  },
  reservation: 'Vorbehalt',
  noChecks: {
    pending:
      'Signatur, Aussteller, Gültigkeit, Inhaber, Widerruf und die Frage werden geprüft, sobald eine Wallet antwortet.',
    expired: 'Nichts wurde vorgelegt, also nichts geprüft.',
    failed: 'Es wurde kein Dokument vorgelegt, das zu prüfen war.',
    completed: 'Mit den Angaben vergessen. Dass alles belegt war, bleibt.',
    forgotten: 'Vergessen. Nur der Grund oben ist noch da.',
  },

  wallets: {
    title: 'Wallets, die die Anfrage abgeholt haben',
    sent: (time: string) => `Anfrage gesendet, ${time}`,
    refused: (time: string) => `Keine Anfrage passt zu dieser Wallet, ${time}`,
    missing: (needed: string, list: string) => `Die Wallet unterstützt ${needed} nicht (${list}).`,
    whole: 'Nichts wurde weggelassen.',
    leftOut: (ids: string) => `Weggelassen, weil die Wallet es nicht unterstützt: ${ids}`,
    encrypted: (curve: string) => `Verschlüsselt für einen Schlüssel der Wallet (${curve}).`,
    undeclared: 'Die Wallet hat nicht angegeben, was sie unterstützt.',
    declared: 'Was die Wallet unterstützt',
    others: (count: number) => (count === 1 ? '1 weiterer Wert' : `${count} weitere Werte`),
  },
  request: 'Die Anfrage, wie die Wallet sie sah',
  requestShow: 'Anfrage zeigen',
  requestLead:
    'Aus dem wiederhergestellt, was aufbewahrt wird. Sie wurde bei jedem Abruf neu signiert; Signatur und Zeit der Signatur stehen deshalb nicht hier.',
  requestByAgeLink:
    'Geantwortet wurde auf den unsignierten Link des EU-Altersprofils. So stand es im Link, Wort für Wort.',
  requestKey: {
    in_request: 'Die Antwort wird für einen Schlüssel dieser Prüfung allein verschlüsselt.',
    destroyed: 'Der Schlüssel, für den die Antwort verschlüsselt wurde, ist vernichtet und fehlt deshalb unten.',
    none: 'Die Antwort war ohne Verschlüsselung verlangt.',
  },
  requestBuiltIn: 'Die Frage ist eine mitgelieferte, wie diese Version sie stellt.',
  requestParts: {
    client: 'Wer fragt (client_id)',
    mode: 'Wie geantwortet wird (response mode)',
    uri: 'Wohin (response_uri)',
    origin: 'Durch einen Browser, gebunden an',
    registration: 'Registriert als',
    question: 'Frage',
  },
  notRegistered: 'ohne Registrierungszertifikat',
  registrationForgotten: 'ein Registrierungszertifikat, das nicht mehr aufbewahrt wird',
  privacyPolicy: 'Datenschutzerklärung',
  decoded: 'Das Anfrageobjekt im Klartext',
  linkParameters: 'Parameter des Links',

  about: 'Einzelheiten',
  by: 'Gefragt von',
  created: 'Angelegt',
  ends: 'Endet',
  ended: 'Beendet',
  purpose: 'Zweck',
  channel: 'Beantwortet über',
  webhook: 'Webhook an',
  redirect: 'Zurück zu',
  receipt: 'Quittung und Beleg',
  receiptLead:
    'Eine signierte Quittung ohne persönliche Daten, auch nach der Löschung aufbewahrt. Ihre Systeme erhalten sie unter',
  certificate: 'Bescheinigung herunterladen (PDF)',
  certificateSoon:
    'Die Bescheinigung ist etwa eine Minute nach der Antwort fertig. Versuchen Sie es gleich noch einmal.',
  receiptNone: 'Sobald eine Wallet geantwortet hat, gibt es eine signierte Quittung.',
  metadata: 'Metadaten',
  metadataLead: 'Was Ihr System dazu geschrieben hat. Die befragte Person sieht es nicht.',
  metadataNone: 'Keine. Mit einer Referenz findet man eine Bestellung an ihrer Nummer wieder.',
  key: 'Name',

  gone: 'Diese Prüfung ist nicht hier',
  goneLead:
    'Die Kennung stimmt nicht, sie gehört zur anderen Umgebung, oder sie wurde gelöscht. Eine Löschung steht mit Zeit und Urheber im Protokoll.',
  goneAudit: 'Zum Protokoll',
}
