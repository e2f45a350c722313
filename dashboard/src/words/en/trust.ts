// English words of what owners change of trust, loaded with its page.

export const enTrust = {
  someAnchors: (shown: number, all: number) => `${shown} of ${all} are shown: first those added by hand.`,
  addAnchor: 'Trust an issuer',
  addAnchorLead:
    'Paste the certificate of the authority whose credentials you accept. It counts for the types you name, here alone, from the next verification on.',
  certificate: 'Certificate (PEM)',
  certificateHint: 'From -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----.',
  file: 'Or choose a file',
  kind: 'What it is',
  kinds: { ca: 'An authority that signs for issuers', pinned: 'The issuer itself (test only)' },
  profile: 'Rules for its signers',
  profiles: { generic: 'General', 'iso-mdl': 'ISO driving licence (IACA)' },
  types: 'Vouches for',
  typesHint: 'One a line, with its format: dc+sd-jwt:urn:eudi:pid:1 or mso_mdoc:org.iso.18013.5.1.mDL.',
  common: 'Add a common one',
  removeAnchor: 'Stop trusting',
  removeAnchorTitle: (name: string) => `Stop trusting ${name}?`,
  removeAnchorLead: 'Credentials of this issuer are refused from the next verification on.',
  addList: 'Import a list',
  addListLead:
    'The list is fetched now and every six hours. It is taken only with a signature of the signer you give, and brings no type but those you name.',
  listKind: 'Kind of list',
  listKinds: {
    lote: 'ETSI list of trusted entities (JSON)',
    vical: 'VICAL (ISO driving licences)',
    tsl: 'EU list of who attests ages (XML)',
  },
  url: 'Address of the list',
  signer: 'Certificate of its signer (PEM)',
  signerHint: 'A second certificate after it is the authority above, which keeps its revocation list.',
  removeList: 'Remove',
  removeListTitle: 'Remove this list?',
  removeListLead: 'Every issuer it brought is trusted no longer, from the next verification on.',
  notInLive:
    'In live your operator decides whose credentials count. Ask to add issuers yourself (setting “own_trust_in_live”).',
  ownersOnly: 'Owners change this.',
  request: 'Request a certificate',
  requestLead:
    'A key is made here and never leaves. You get a signing request for it; send that to your authority and upload what comes back.',
  install: 'Upload a certificate',
  installLead:
    'The certificate that your authority made for a request from here, its own first. It is used from the next request on.',
  chain: 'Certificates (PEM), leaf first',
  purpose: 'What it signs',
  commonName: 'Name that wallets show',
  organization: 'Organisation (optional)',
  organizationIdentifier: 'Identifier, like VATDE-123456789 (optional)',
  country: 'Country, two letters (optional)',
  state: 'State (optional)',
  locality: 'City (optional)',
  email: 'E-mail (optional)',
  csr: 'Your signing request',
  csrLead: 'It is no secret. It stays listed below as waiting until the certificate is uploaded.',
  download: 'Download',
  waiting: 'waiting for its certificate',
  done: 'Done.',
  warnings: 'It is in use. Worth a look:',
}

export type TrustWords = typeof enTrust
