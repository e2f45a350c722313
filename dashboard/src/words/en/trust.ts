// English words of what owners change of trust, loaded with its page.

import type { TrustChange } from '../../answers.ts'

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
  otherTypes: 'Another type of document',
  otherTypesLabel: 'Other types',
  typesMissing: 'Say for which documents it vouches.',
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
  notInLive: 'In live your operator decides whose credentials count, and can let you add issuers yourself.',
  askOperator: 'Ask the operator',
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
  organizationIdentifier: 'Identifier (optional)',
  country: 'Country (optional)',
  state: 'State (optional)',
  locality: 'City (optional)',
  email: 'E-mail (optional)',
  showCsr: 'Signing request',
  makeCsr: 'Make it again',
  requestAgainLead:
    'Lost the request, or is something wrong in it? Have it made again for the same key. A certificate that your authority made for an earlier one still fits.',
  withdrawKey: 'Withdraw',
  withdrawKeyTitle: 'Withdraw this request?',
  withdrawKeyLead:
    'Its key is deleted for good. A certificate that your authority makes for it can no longer be uploaded. What is in use stays.',
  requested: 'Requested',
  csr: 'Your signing request',
  csrLead:
    'It is no secret. It stays listed as waiting until its certificate is uploaded, and until then you can have it again there.',
  download: 'Download',
  waiting: 'waiting for its certificate',
  done: 'Done.',
  warnings: 'It is in use. Worth a look:',
  listFailed: 'not refreshed',
  technical: 'Technically',
  problems: {
    no_tenant: 'This company is no longer there.',
    by_operator_in_live: 'In live your operator adds issuers, or lets you do so.',
    registrations_by_operator: 'Only your operator adds who vouches for registrations.',
    one_certificate: 'Paste one certificate, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----.',
    too_many_anchors: 'You trust as many issuers of your own as you may. Remove one first.',
    types_missing: 'Name the kinds of documents, each with its format, such as dc+sd-jwt:urn:eudi:pid:1.',
    types_mixed: 'Who vouches for registrations vouches for no documents.',
    key_mixed: 'Another entry has the same key: who vouches for registrations vouches for no documents.',
    pinned_in_test_only: 'An issuer by itself can be trusted in test only. In live, add the authority above it.',
    not_an_authority:
      'This certificate is an issuer’s own, not an authority’s. Upload the one above it; in test you may choose “The issuer itself”.',
    anchor_unfit: 'No document could ever be proven with this certificate, so it was not added.',
    address: 'The address must begin with https://.',
    signer_certificate:
      'Paste the certificate of the list’s signer, and after it the authority above where there is one.',
    too_many_lists: 'You have imported as many lists as you may. Remove one first.',
    list_not_fetched:
      'The list could not be fetched from this address. Check it, and whether it can be reached publicly.',
    list_too_long: 'The list names more authorities than you may import. Your operator can import it.',
    list_older: 'The address serves an older list than the one that was read before, so it was not taken.',
    list_signer_revoked: 'The certificate of the list’s signer was revoked, so the list was not taken.',
    list_unfit: 'This list cannot be used with this certificate.',
    list_names_nobody: 'The list names no authority for these documents that can be used here.',
    too_many_waiting: 'As many keys as possible wait for their certificate. Upload or withdraw one of those first.',
    not_waiting: 'This key no longer waits for a certificate.',
    service: 'A service is named by 1 to 200 plain characters.',
    identity_missing: 'Say first who you are registered as, on the page “Registration”.',
    country: 'The country is two capital letters, like DE.',
    email: 'This is not an e-mail address.',
    apple_name: 'For Apple Wallet the name is the domain that asks, like shop.example.com.',
    apple_subject: 'Apple also needs the organisation, the country, the state or city, and an e-mail address.',
    no_certificates: 'Paste certificates, each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----.',
    no_private_key: 'This is not a private key.',
    no_key_waits:
      'No request from here fits this certificate. Was it made for one of yours, and for this use? Otherwise request a new one.',
    certificate_unfit: 'Wallets would not accept this certificate for this use, so it was not taken.',
    installed_meanwhile: 'Somebody else uploaded a certificate at the same moment. Look at the page again.',
  } satisfies Record<Problem, string>,
}

type Problem = Extract<TrustChange, { outcome: 'refused' }>['code']

export type TrustWords = typeof enTrust
