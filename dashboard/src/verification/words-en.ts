// English: the page of one verification.

import type { ProofName, ProofState } from './proofs.ts'

export const en = {
  steps: {
    created: 'Created',
    fetched: 'The wallet fetched the request',
    answered: 'The wallet answered',
    redeemed: 'The response code was redeemed',
    read: 'Your system first read the result',
    forgotten: 'Claims and credentials were forgotten',
    cancelled: 'Cancelled before anybody answered',
    expired: 'Not answered in time',
    expires: 'Open until',
    forgets: 'Claims and credentials are forgotten at the latest',
  },
  attempt: (n: number) => `Webhook, attempt ${n}`,
  nextAttempt: (n: number) => `Webhook, attempt ${n} is due`,
  attemptRunning: 'under way',
  attemptTook: (duration: string) => `took ${duration}`,
  attemptAnswered: (status: number) => (status < 300 ? `Accepted with ${status}` : `Refused with ${status}`),
  attemptFailures: {
    egress_denied: 'The address leads where we may not send.',
    dns_failure: 'The name of the host could not be resolved.',
    connect_timeout: 'The host did not take the connection in time.',
    connect_error: 'The host refused the connection.',
    tls_error: 'The encrypted connection failed: look at the certificate.',
    timeout: 'The host did not answer in time.',
    protocol_error: 'The host did not answer in HTTP.',
    response_too_large: 'The answer was too large.',
  } as Record<string, string>,
  after: (duration: string) => `after ${duration}`,
  seeWebhooks: 'All deliveries',

  outcome: {
    completed: 'Everything that was asked for is proven.',
    expired: 'No answer arrived in time. This says nothing about the holder.',
    cancelled: 'It was taken back. Nothing was learned.',
    why: 'Why it failed',
    next: 'What you can do',
    technical: 'For your developers',
  },
  /** What to do about it, by the code of the reason. */
  remedies: {
    wallet_declined:
      'Ask again if the person wants to. Say why you ask, and ask for less: both are declined less often.',
    wallet_error: 'Ask again. If it keeps happening with one wallet, tell its maker the time and the id above.',
    query_not_satisfied:
      'The person may hold another document. Accept more documents, or ask for less, in your template:',
    credential_invalid: 'Do not rely on it. Ask again; if it is the same with another person’s, tell the issuer.',
    issuer_untrusted: 'If you should trust this issuer, its certificate must be among your trust anchors:',
    holder_binding_invalid: 'Do not rely on it: who presented it did not prove to be its holder. Ask again.',
    credential_expired: 'The person needs a fresh document from the issuer, then ask again.',
    credential_revoked: 'Do not rely on it. The person can ask the issuer why.',
    credential_suspended: 'Do not rely on it now. The issuer may lift the suspension.',
    status_unavailable: 'Ask again in a while: the issuer’s list could not be read. How strict to be is a setting:',
    proof_unavailable: 'Ask again in a while: the operator’s checker of proofs did not answer.',
    claim_conflict:
      'Ask again for one credential. With `multiple`, ask for the same claims of each, without `claim_sets`.',
  } as Record<string, string>,

  tryIt: 'Answer it yourself, as a holder would:',
  testWallet: 'Open the test wallet',

  claims: 'Verified claims',
  claim: 'Claim',
  value: 'Value',
  yes: 'Yes',
  no: 'No',
  nothing: 'not given',
  sexes: {
    0: 'not known',
    1: 'male',
    2: 'female',
    3: 'other',
    4: 'inter',
    5: 'diverse',
    6: 'open',
    9: 'not applicable',
  } as Record<number, string>,
  characters: (n: number) => `${n} characters`,
  portrait: 'Portrait of the holder',
  portraitHidden: {
    jpeg_2000: (size: string) => `A picture of ${size} in JPEG 2000, which browsers do not draw.`,
    too_large: (size: string) => `A picture of ${size}: too large to be drawn here.`,
    unknown: (size: string) => `Not a picture that can be drawn here (${size}).`,
  },
  privileges: { category: 'Category', issued: 'Since', expires: 'Until', codes: 'Conditions', none: 'none' },
  claimsHidden: 'Your role shows which claims there are, not their values.',
  noClaims: {
    pending: 'They will appear here as soon as a wallet has answered.',
    failed: 'None: what a failed verification presented is not shown to anybody.',
    expired: 'None: no answer arrived.',
  } as Record<string, string>,

  checks: 'What was checked',
  document: 'Document',
  issuer: 'Issued by',
  unknownIssuer: 'unknown: the signature does not hold',
  unknownDocument: 'Unknown document: its signature is not valid',
  proofs: {
    signature: {
      title: 'Genuine',
      proven: 'The issuer’s signature holds, and nothing was changed since.',
      failed: 'The issuer’s signature does not hold, or something was changed.',
    },
    trust: {
      title: 'Issuer trusted',
      proven: 'The issuer’s certificate leads to an anchor that you trust for this document.',
      failed: 'The issuer’s certificate does not lead to an anchor that you trust for this document.',
    },
    validity: {
      title: 'Valid on that day',
      proven: 'The document was within its dates when it was shown.',
      failed: 'The document was not yet valid, or not any more.',
    },
    holder: {
      title: 'Shown by its holder',
      proven: 'The wallet proved to hold the document’s key, for this very request.',
      failed: 'The wallet did not prove to hold the document’s key for this request.',
    },
    status: {
      title: 'Not revoked',
      proven: 'The issuer’s list was asked: the document was not revoked or suspended.',
      failed: 'The issuer has revoked or suspended it, or its list could not be asked.',
    },
    question: {
      title: 'Answers the question',
      proven: 'It is a document that was asked for, and gives what was asked (DCQL).',
      failed: 'It is not what was asked for, or does not give all of it (DCQL).',
    },
  } satisfies Record<ProofName, { title: string; proven: string; failed: string }>,
  states: {
    proven: 'proven',
    failed: 'failed',
    warning: 'not certain',
    skipped: 'nothing to check',
    unchecked: 'not checked',
    not_provable: 'not provable',
  } satisfies Record<ProofState, string>,
  statesLong: {
    warning: 'Accepted with a reservation, as your settings allow.',
    skipped: 'The document names no list where this could be looked up.',
    unchecked: 'Not looked at any more: something before it had failed.',
    not_provable:
      'The wallet proved the answer without showing the document. Such a proof cannot show whether the document was revoked.',
  },
  reservation: 'Reservation',
  noChecks: {
    pending: 'Signature, issuer, dates, holder, revocation and the question are checked when a wallet answers.',
    expired: 'Nothing was presented, so nothing was checked.',
    failed: 'No document was presented that could be checked.',
    completed: 'Forgotten with the claims. That everything was proven stays.',
    forgotten: 'Forgotten. Only the reason above is kept.',
  } as Record<string, string>,

  request: 'The request as the wallet saw it',
  requestShow: 'Show the request',
  requestLead: 'Rebuilt from stored data. It was signed at each fetch, so the signature and its time are not shown.',
  requestByAgeLink:
    'It was answered by the unsigned link of the EU age profile. This is what stood in the link, word for word.',
  requestKey: {
    in_request: 'The answer is encrypted to a key of this verification alone.',
    destroyed: 'The key that the answer was encrypted to is destroyed, so it is missing below.',
    none: 'The answer was asked for without encryption.',
  },
  requestBuiltIn: 'The question is a built-in one, as this release asks it.',
  requestParts: {
    client: 'Who asks (client_id)',
    mode: 'How to answer (response mode)',
    uri: 'Where to (response_uri)',
    origin: 'By a browser, bound to',
    registration: 'Registered as',
    question: 'Question',
  },
  notRegistered: 'without a registration certificate',
  registrationForgotten: 'a registration certificate that is no longer kept',
  privacyPolicy: 'Privacy policy',
  decoded: 'Decoded request object',
  linkParameters: 'Parameters of the link',

  about: 'Details',
  by: 'Asked by',
  created: 'Created',
  ends: 'Ends',
  ended: 'Ended',
  purpose: 'Purpose',
  channel: 'Answered by',
  webhook: 'Webhook to',
  redirect: 'Sent back to',
  receipt: 'Receipt and proof',
  receiptLead: 'A signed receipt without personal data, kept also after erasure. Your systems get it at',
  receiptNone: 'When a wallet has answered, there is a signed receipt.',
  metadata: 'Metadata',
  metadataLead: 'What your system wrote to it. The holder does not see this.',
  metadataNone: 'None. With a reference, an order is found again by its number.',
  key: 'Name',

  gone: 'This verification is not here',
  goneLead:
    'The id is wrong, it belongs to the other environment, or it was erased. The audit trail records each erasure, with its time and who did it.',
  goneAudit: 'To the audit trail',
}

export type VerificationWords = typeof en
