// German words of what owners change of trust, loaded with its page.

import type { TrustWords } from '../en/trust.ts'

export const deTrust: TrustWords = {
  someAnchors: (shown: number, all: number) => `${shown} von ${all} werden gezeigt: zuerst die von Hand hinzugefügten.`,
  addAnchor: 'Aussteller vertrauen',
  addAnchorLead:
    'Fügen Sie das Zertifikat der Stelle ein, deren Nachweise Sie annehmen. Es gilt für die genannten Arten, nur hier, ab der nächsten Prüfung.',
  certificate: 'Zertifikat (PEM)',
  certificateHint: 'Von -----BEGIN CERTIFICATE----- bis -----END CERTIFICATE-----.',
  file: 'Oder eine Datei wählen',
  kind: 'Was es ist',
  kinds: { ca: 'Eine Stelle, die für Aussteller signiert', pinned: 'Der Aussteller selbst (nur im Test)' },
  profile: 'Regeln für seine Signierer',
  profiles: { generic: 'Allgemein', 'iso-mdl': 'ISO-Führerschein (IACA)' },
  types: 'Bürgt für',
  typesHint: 'Je Zeile eine Art mit Format: dc+sd-jwt:urn:eudi:pid:1 oder mso_mdoc:org.iso.18013.5.1.mDL.',
  otherTypes: 'Eine andere Dokumentart',
  otherTypesLabel: 'Weitere Arten',
  typesMissing: 'Sagen Sie, für welche Dokumente er bürgt.',
  removeAnchor: 'Nicht mehr vertrauen',
  removeAnchorTitle: (name) => `${name} nicht mehr vertrauen?`,
  removeAnchorLead: 'Nachweise dieses Ausstellers werden ab der nächsten Prüfung abgelehnt.',
  addList: 'Liste einlesen',
  addListLead:
    'Die Liste wird jetzt und alle sechs Stunden abgerufen. Sie gilt nur mit einer Signatur des angegebenen Signierers und bringt nur die Arten, die Sie nennen.',
  listKind: 'Art der Liste',
  listKinds: {
    lote: 'ETSI-Liste vertrauter Stellen (JSON)',
    vical: 'VICAL (ISO-Führerscheine)',
    tsl: 'EU-Liste der Altersnachweise (XML)',
  },
  url: 'Adresse der Liste',
  signer: 'Zertifikat ihres Signierers (PEM)',
  signerHint: 'Ein zweites Zertifikat danach ist die Stelle darüber, die seine Sperrliste führt.',
  removeList: 'Entfernen',
  removeListTitle: 'Diese Liste entfernen?',
  removeListLead: 'Keinem Aussteller daraus wird noch vertraut, ab der nächsten Prüfung.',
  notInLive:
    'Im Echtbetrieb bestimmt Ihr Betreiber, wessen Nachweise zählen, und kann Sie selbst Aussteller hinzufügen lassen.',
  askOperator: 'Beim Betreiber anfragen',
  ownersOnly: 'Das ändern Inhaber.',
  request: 'Zertifikat anfordern',
  requestLead:
    'Ein Schlüssel entsteht hier und verlässt den Dienst nie. Sie bekommen eine Anforderung dafür; senden Sie sie Ihrer Stelle und laden Sie hoch, was zurückkommt.',
  install: 'Zertifikat hochladen',
  installLead:
    'Das Zertifikat, das Ihre Stelle auf eine Anforderung von hier ausgestellt hat, das eigene zuerst. Es gilt ab der nächsten Anfrage.',
  chain: 'Zertifikate (PEM), das eigene zuerst',
  purpose: 'Was es signiert',
  commonName: 'Name, den Wallets zeigen',
  organization: 'Organisation (optional)',
  organizationIdentifier: 'Kennung (optional)',
  country: 'Land (optional)',
  state: 'Bundesland (optional)',
  locality: 'Ort (optional)',
  email: 'E-Mail (optional)',
  showCsr: 'Anforderung',
  makeCsr: 'Noch einmal erstellen',
  requestAgainLead:
    'Die Anforderung ist verloren oder etwas darin stimmt nicht? Lassen Sie sie für denselben Schlüssel noch einmal erstellen. Ein Zertifikat auf eine frühere passt weiterhin.',
  withdrawKey: 'Zurückziehen',
  withdrawKeyTitle: 'Diese Anforderung zurückziehen?',
  withdrawKeyLead:
    'Ihr Schlüssel wird endgültig gelöscht. Ein Zertifikat, das Ihre Stelle dafür ausstellt, lässt sich nicht mehr hochladen. Was in Gebrauch ist, bleibt.',
  requested: 'Angefordert',
  csr: 'Ihre Anforderung',
  csrLead:
    'Sie ist kein Geheimnis. Bis ihr Zertifikat hochgeladen ist, steht sie als wartend in der Liste; dort bekommen Sie sie wieder.',
  download: 'Herunterladen',
  waiting: 'wartet auf sein Zertifikat',
  done: 'Erledigt.',
  warnings: 'Es ist in Gebrauch. Einen Blick wert:',
  listFailed: 'nicht aktualisiert',
  technical: 'Technisch',
  problems: {
    no_tenant: 'Dieses Unternehmen gibt es nicht mehr.',
    by_operator_in_live: 'Im Livebetrieb fügt Ihr Betreiber Aussteller hinzu oder erlaubt es Ihnen.',
    registrations_by_operator: 'Wer für Registrierungen bürgt, fügt allein Ihr Betreiber hinzu.',
    one_certificate: 'Fügen Sie ein Zertifikat ein, von -----BEGIN CERTIFICATE----- bis -----END CERTIFICATE-----.',
    too_many_anchors: 'Sie vertrauen schon so vielen eigenen Ausstellern wie möglich. Entfernen Sie zuerst einen.',
    types_missing: 'Nennen Sie die Dokumentarten, jede mit ihrem Format, etwa dc+sd-jwt:urn:eudi:pid:1.',
    types_mixed: 'Wer für Registrierungen bürgt, bürgt für keine Dokumente.',
    key_mixed: 'Ein anderer Eintrag hat denselben Schlüssel: Wer für Registrierungen bürgt, bürgt für keine Dokumente.',
    pinned_in_test_only:
      'Einem Aussteller für sich kann nur im Test vertraut werden. Fügen Sie im Livebetrieb die Stelle darüber hinzu.',
    not_an_authority:
      'Dieses Zertifikat ist das eines Ausstellers, nicht das einer Stelle. Laden Sie das darüber hoch; im Test können Sie „Der Aussteller selbst“ wählen.',
    anchor_unfit: 'Mit diesem Zertifikat ließe sich kein Dokument je belegen, darum wurde es nicht hinzugefügt.',
    address: 'Die Adresse muss mit https:// beginnen.',
    signer_certificate:
      'Fügen Sie das Zertifikat des Signierers der Liste ein und danach, wo es eine gibt, die Stelle darüber.',
    too_many_lists: 'Sie haben schon so viele Listen eingelesen wie möglich. Entfernen Sie zuerst eine.',
    list_not_fetched:
      'Die Liste war unter dieser Adresse nicht abzurufen. Prüfen Sie sie und ob sie öffentlich erreichbar ist.',
    list_too_long: 'Die Liste nennt mehr Stellen, als Sie einlesen können. Ihr Betreiber kann sie einlesen.',
    list_older:
      'Unter der Adresse steht eine ältere Liste als die zuletzt gelesene, sie wurde deshalb nicht übernommen.',
    list_signer_revoked:
      'Das Zertifikat des Signierers der Liste wurde gesperrt, darum wurde die Liste nicht übernommen.',
    list_unfit: 'Diese Liste lässt sich mit diesem Zertifikat nicht verwenden.',
    list_names_nobody: 'Die Liste nennt keine Stelle für diese Dokumente, die hier verwendet werden kann.',
    too_many_waiting:
      'Es warten schon so viele Schlüssel wie möglich auf ihr Zertifikat. Laden Sie zuerst eines davon hoch oder ziehen Sie eine Anforderung zurück.',
    not_waiting: 'Dieser Schlüssel wartet auf kein Zertifikat mehr.',
    service: 'Eine Dienstleistung hat einen Namen aus 1 bis 200 einfachen Zeichen.',
    identity_missing: 'Sagen Sie zuerst auf der Seite „Registrierung“, als wer Sie registriert sind.',
    country: 'Das Land sind zwei Großbuchstaben, etwa DE.',
    email: 'Das ist keine E-Mail-Adresse.',
    apple_name: 'Für Apple Wallet ist der Name die Domain, die fragt, etwa shop.example.com.',
    apple_subject: 'Apple verlangt außerdem Organisation, Land, Bundesland oder Ort und eine E-Mail-Adresse.',
    no_certificates: 'Fügen Sie Zertifikate ein, jedes von -----BEGIN CERTIFICATE----- bis -----END CERTIFICATE-----.',
    no_private_key: 'Das ist kein privater Schlüssel.',
    no_key_waits:
      'Keine Anforderung von hier passt zu diesem Zertifikat. Wurde es auf eine von Ihnen ausgestellt, und für diese Verwendung? Sonst fordern Sie ein neues an.',
    certificate_unfit: 'Wallets würden dieses Zertifikat dafür nicht annehmen, darum wurde es nicht übernommen.',
    installed_meanwhile: 'Jemand anders hat im selben Moment ein Zertifikat hochgeladen. Sehen Sie noch einmal nach.',
  },
}
