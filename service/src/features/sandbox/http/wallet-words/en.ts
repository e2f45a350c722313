// The test wallet in English.

import type { WalletWords } from './words.ts'

export const en: WalletWords = {
  title: 'Test wallet',
  ribbon: 'Test wallet: an invented person, no real data',
  link: {
    heading: 'Open a request',
    intro:
      'Paste the link that a wallet app would open. Or choose “Answer with the test wallet” on a verification page.',
    label: 'Wallet link',
    open: 'Open request',
    another: 'Open another request',
    holds: 'In this wallet',
  },
  closed: {
    link: {
      title: 'This is not a wallet link',
      text: 'A wallet link starts with openid4vp:// or av://. Copy all of it.',
    },
    foreign: {
      title: 'This link is not from here',
      text: 'This link does not belong to a verification of this service. Copy all of it, or create a new verification.',
    },
    live: {
      title: 'This request is live',
      text: 'The test wallet only answers verifications in test mode. Create one with a test key.',
    },
    answered: {
      title: 'Already answered',
      text: 'Each request can be answered once. Create a new verification to try again.',
    },
    expired: {
      title: 'This request has expired',
      text: 'Its time ran out before an answer arrived. Create a new verification to try again.',
    },
    unavailable: {
      title: 'The request could not be fetched',
      text: 'The service did not hand it out. Go back to the verification page and open the wallet there.',
    },
    request: {
      title: 'The wallet refuses this request',
      text: 'The request breaks a rule of the protocol. Any conforming wallet would refuse it.',
    },
    nothing_held: {
      title: 'Nothing was shared',
      text: 'This wallet has nothing that matches, or it declined. The request is still open.',
    },
    choice: {
      title: 'Not possible',
      text: 'The test wallet does not support this choice. Go back and choose another.',
    },
  },
  certificate: 'Certificate',
  unsigned: 'This request is not signed. The answer goes to',
  registered: 'Registered',
  registeredFor: 'Registered for',
  warns: 'Your wallet warns you',
  warnings: {
    unregistered: 'This provider has not shown that it is registered to ask for this. That is normal in test mode.',
  },
  agree: {
    title: 'You confirm with your signature',
    type: 'Type',
    exact: 'What you sign, exactly',
    letterForLetter: 'This text is hashed and signed, character by character',
  },
  shares: 'You share',
  paysWith: 'You pay with',
  choose: 'Choose what to answer with',
  optional: 'Optional',
  withhold: 'Do not share this',
  holdsIt: 'That you have it',
  noMatch: 'This wallet has no document that answers this request. You can only decline.',
  exactRequest: 'What the request allows',
  technical: 'Technical details',
  consent: { share: 'Share', confirm: 'Confirm', signIn: 'Sign in', pay: (amount) => `Pay ${amount}` },
  decline: 'Decline',
  trial: {
    scenario: 'Test case',
    succeeds: 'Should succeed',
    fails: 'Should fail',
    more: 'More test options',
    channel: 'How the wallet is asked',
    transaction: 'What the wallet signs',
    exactly: 'Exactly what you confirm',
  },
  channels: {
    link: 'By the link, as a wallet app',
    'openid4vp-v1-signed': 'By this browser: Digital Credentials API with OpenID4VP',
    'org-iso-mdoc': 'By this browser: Digital Credentials API with ISO 18013-7 Annex C (mdoc only)',
  },
  scenarios: {
    good: 'Everything as requested',
    declined: 'The holder declines',
    expired: 'The document expired yesterday',
    revoked: 'The document is revoked',
    suspended: 'The document is suspended',
    untrusted: 'An untrusted issuer with the same name',
    wrong_nonce: 'Bound to another nonce',
    wrong_audience: 'Bound to another verifier',
    tampered: 'The data was changed after the issuer signed it',
    replayed: 'Replayed from an earlier request',
    missing_claim: 'One of the requested claims is missing',
    over_disclosing: 'All claims are shared, requested or not',
  },
  answered: 'Answer sent',
  failed: 'Verification failed',
  declined: 'You declined this request.',
  stillOpen: {
    title: 'Nothing was shared',
    text: 'You declined in this browser. The request is still open and can be answered.',
  },
  expected: (scenario) => `This is the expected result: you chose the test case “${scenario}”.`,
  unexpected: (scenario, end) =>
    end === null
      ? `Not the usual result: the test case “${scenario}” should succeed.`
      : `Not the usual result: the test case “${scenario}” should fail with ${end}.`,
  shared: 'You shared',
  onward: (merchant) => `Continue to ${merchant}`,
  back: 'Back to the request',
  facts: { http: 'HTTP status of the answer', status: 'Status of the verification', error: 'Error code' },
}
