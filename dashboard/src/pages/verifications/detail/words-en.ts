// English: the page of one verification.

import type { ProofName, ProofState } from './proofs.ts'

export const en = {
  steps: {
    created: 'Created',
    fetched: 'The wallet fetched the request',
    answered: 'The wallet answered',
    redeemed: 'The response code was redeemed',
    read: 'Your system read the result',
    forgotten: 'Claims and credentials were deleted',
    cancelled: 'Cancelled before an answer arrived',
    expired: 'Not answered in time',
    expires: 'Valid until',
    forgets: 'Claims and credentials are deleted at the latest',
  },
  attempt: (n: number) => `Webhook, attempt ${n}`,
  nextAttempt: (n: number) => `Webhook, attempt ${n} is due`,
  attemptRunning: 'in progress',
  attemptTook: (duration: string) => `took ${duration}`,
  attemptAnswered: (status: number) => (status < 300 ? `Accepted with ${status}` : `Refused with ${status}`),
  attemptFailures: {
    egress_denied: 'We are not allowed to send to this address.',
    dns_failure: 'The host name could not be found.',
    connect_timeout: 'The server did not accept the connection in time.',
    connect_error: 'The server refused the connection.',
    tls_error: 'The encrypted connection failed. Check the server’s certificate.',
    timeout: 'The server did not respond in time.',
    protocol_error: 'The response was not valid HTTP.',
    response_too_large: 'The response was too large.',
  } as Record<string, string>,
  after: (duration: string) => `after ${duration}`,
  seeWebhooks: 'All deliveries',

  outcome: {
    completed: 'Accepted under your settings.',
    confirmed: 'Verification completed',
    born: (name: string, day: string) => `${name}, born ${day}`,
    deleted: 'The personal data has been deleted',
    encrypted: 'The result is encrypted for you',
    expired: 'No answer arrived in time. This says nothing about the person.',
    cancelled: 'This verification was cancelled. No data was shared.',
    why: 'Verification failed',
    next: 'What to do',
    technical: 'Technical details',
  },
  /** What to do about it, by the code of the reason. */
  remedies: {
    wallet_declined:
      'Start a new verification if the person agrees. Explain why you ask and ask for less, so that fewer people decline.',
    wallet_error:
      'Start a new verification. If it keeps happening with the same wallet, report the time and ID to its maker.',
    query_not_satisfied:
      'The person may have another document. Accept more documents or ask for less in your template.',
    credential_invalid:
      'Do not accept this document. Start a new verification. If it happens with other people too, contact the issuer.',
    issuer_untrusted:
      'Do not accept this document unless you know the issuer. If you want to accept its documents, add it to your trusted issuers.',
    holder_binding_invalid:
      'Do not accept this document. The wallet did not prove that it belongs to it. Start a new verification.',
    credential_expired: 'Ask the person to renew the document with its issuer, then start a new verification.',
    credential_revoked: 'Do not accept this document. The person can ask the issuer why it was revoked.',
    credential_suspended: 'Do not accept this document for now. The issuer may lift the suspension.',
    status_unavailable:
      'Try again later. You can choose in the settings what happens if the issuer’s list cannot be reached.',
    proof_unavailable: 'Try again later. The operator’s proof checker did not respond.',
    claim_conflict:
      'Ask for a single credential. With `multiple`, ask for the same claims from each, without `claim_sets`.',
  } as Record<string, string>,

  openPages: { trust: 'Manage trusted issuers', templates: 'Open templates', settings: 'Open settings' },

  tryIt: 'Try it yourself:',
  testWallet: 'Open test wallet',

  claims: 'Verified claims',
  claim: 'Claim',
  value: 'Value',
  yes: 'Yes',
  no: 'No',
  nothing: 'not provided',
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
    jpeg_2000: (size: string) => `A JPEG 2000 picture (${size}), which browsers cannot show.`,
    too_large: (size: string) => `This picture is too large to show here (${size}).`,
    unknown: (size: string) => `This picture format cannot be shown here (${size}).`,
  },
  privileges: { category: 'Category', issued: 'Since', expires: 'Until', codes: 'Conditions', none: 'none' },
  claimsHidden: 'Your role can see which claims there are, but not their values.',
  noClaims: {
    pending: 'Claims appear here as soon as the person answers.',
  } as Record<string, string>,

  checks: 'Checks',
  document: 'Document',
  issuer: 'Issued by',
  unknownDocument: 'Issuer not confirmed',
  proofs: {
    signature: {
      title: 'Genuine',
      proven: 'The issuer’s signature is valid, and the document has not been changed.',
      failed: 'The issuer’s signature is not valid, or the document was changed.',
    },
    trust: {
      title: 'Trusted issuer',
      proven: 'You trust this issuer for this type of document.',
      failed: 'This issuer is not one that you trust for this type of document.',
    },
    validity: {
      title: 'Valid dates',
      proven: 'The document was valid at the time.',
      failed: 'The document had expired, or was not valid yet.',
    },
    holder: {
      title: 'Held by this wallet',
      proven:
        'The wallet proved, for this request, that it holds the document’s key. It does not prove who holds the device.',
      failed: 'The wallet did not prove that it holds the document’s key.',
    },
    status: {
      title: 'Revocation',
      proven: 'According to the issuer’s list, the document was not revoked or suspended.',
      failed: 'The issuer has revoked or suspended the document, or its list could not be reached.',
    },
    question: {
      title: 'Matches your request',
      proven: 'The document is one you asked for, and contains everything you asked for.',
      failed: 'The document is not one you asked for, or something is missing.',
    },
  } satisfies Record<ProofName, { title: string; proven: string; failed: string }>,
  states: {
    proven: 'Passed',
    failed: 'Failed',
    warning: 'Warning',
    skipped: 'Not applicable',
    unchecked: 'Not checked',
    not_provable: 'Cannot be checked',
  } satisfies Record<ProofState, string>,
  statesLong: {
    warning: 'Accepted with a warning, as your settings allow.',
    skipped: 'The document has no revocation list.',
    unchecked: 'Skipped, because an earlier check failed.',
    not_provable:
      'The wallet proved the answer without showing the document, so we cannot tell whether it was revoked.',
  },
  reservation: 'Warning',
  noChecks: {
    failed: 'There was no document to check.',
    completed: 'Deleted with the claims. The answer was accepted under your settings.',
    forgotten: 'Deleted. Only the reason above is kept.',
  } as Record<string, string>,

  wallets: {
    title: 'Each fetch by a wallet',
    sent: (time: string) => `Request sent, ${time}`,
    refused: (time: string) => `This wallet cannot answer the request, ${time}`,
    missing: (needed: string, list: string) => `The wallet does not support ${needed} (${list}).`,
    whole: 'The whole request was sent.',
    leftOut: (ids: string) => `Left out, because the wallet does not support it: ${ids}`,
    encrypted: (curve: string) => `Encrypted with the wallet’s key (${curve}).`,
    undeclared: 'The wallet did not say what it supports.',
    declared: 'What the wallet supports',
    others: (count: number) => (count === 1 ? '1 other' : `${count} others`),
  },
  request: 'Request sent to the wallet',
  requestLead:
    'Rebuilt from stored data. The request was signed each time it was fetched, so the signature is not shown.',
  requestByAgeLink: 'Answered through the unsigned link of the EU age profile. These are its parameters.',
  requestKey: {
    in_request: 'The answer is encrypted with a key for this verification only.',
    destroyed: 'The encryption key of the answer has been destroyed, so it is not shown below.',
    none: 'The answer was not encrypted.',
  },
  requestBuiltIn: 'The question comes from a built-in template of this release.',
  requestParts: {
    client: 'Client (client_id)',
    mode: 'Response mode',
    uri: 'Response address (response_uri)',
    origin: 'Browser origin',
    registration: 'Registration',
    question: 'Question',
  },
  notRegistered: 'without a registration certificate',
  registrationForgotten: 'a registration certificate that is no longer kept',
  privacyPolicy: 'Privacy policy',
  decoded: 'Decoded request object',
  linkParameters: 'Parameters of the link',

  about: 'Details',
  by: 'Created by',
  created: 'Created',
  ends: 'Ends',
  ended: 'Ended',
  purpose: 'Purpose',
  channel: 'Answered by',
  webhook: 'Webhook',
  redirect: 'Redirect to',
  receipt: 'Receipt',
  receiptLead: 'Signed by this service, without personal data. It stays even if you delete the verification.',
  forDevelopers: 'For developers',
  certificate: 'Certificate (PDF)',
  certificateSoon: 'The certificate is ready about a minute after the answer. Try again in a moment.',
  metadata: 'Metadata',
  metadataLead: 'Added by your system. Your customers do not see it.',
  key: 'Name',

  gone: 'Verification not found',
  goneLead:
    'The ID may be wrong, belong to the other environment, or have been deleted. The audit trail shows who deleted what, and when.',
  goneAudit: 'Open audit trail',
}

export type VerificationWords = typeof en
