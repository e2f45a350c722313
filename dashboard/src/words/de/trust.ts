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
  common: 'Übliche hinzufügen',
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
    'Im Livebetrieb bestimmt Ihr Betreiber, wessen Nachweise zählen. Bitten Sie darum, selbst Aussteller hinzuzufügen (Einstellung „own_trust_in_live“).',
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
  organizationIdentifier: 'Kennung wie VATDE-123456789 (optional)',
  country: 'Land, zwei Buchstaben (optional)',
  state: 'Bundesland (optional)',
  locality: 'Ort (optional)',
  email: 'E-Mail (optional)',
  csr: 'Ihre Anforderung',
  csrLead: 'Sie ist kein Geheimnis. Unten steht sie als wartend, bis das Zertifikat hochgeladen ist.',
  download: 'Herunterladen',
  waiting: 'wartet auf sein Zertifikat',
  done: 'Erledigt.',
  warnings: 'Es ist in Gebrauch. Einen Blick wert:',
}
