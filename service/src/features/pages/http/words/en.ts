// The hosted page in English.

import type { Words } from './words.ts'

export const en: Words = {
  confirmAge: (merchant, age) => `Confirm to ${merchant} that you are ${age} or older`,
  share: (merchant, list) =>
    list === null ? `Share your details with ${merchant}` : `Share your ${list} with ${merchant}`,
  receives: (merchant) => `${merchant} receives`,
  yesOrNo: (age) => `Whether you are ${age} or older (yes\u00a0or\u00a0no\u00a0only)`,
  colon: ':',
  why: 'Why',
  registeredPurpose: 'Registered purpose',
  agree: {
    asks: (merchant) => `${merchant} asks you to confirm`,
    title: 'You confirm in your wallet',
    payTo: (payee) => `Pay ${payee}`,
    paidTo: (payee) => `to ${payee}`,
    asksToPay: (merchant, payee) => `${merchant} asks you to pay ${payee}.`,
    reference: 'Reference',
    pay: (amount, payee) => `Pay ${amount} to ${payee}`,
    onlyThere: 'Your wallet shows the amount and the payee. You pay only when you confirm there.',
    recurring: 'This payment repeats.',
    sign: 'Sign',
  },
  documents: 'Accepted IDs',
  presents: 'What your wallet sends for this check',
  birthDateForAge:
    'If your wallet can only prove your age by your date of birth, it sends us that date for the check. We do not keep it or pass it on.',
  issuerToo: (merchant) => `${merchant} also sees what type of ID you used and who issued it.`,
  scan: 'Scan this code with your phone’s camera to open your wallet.',
  qr: 'QR code that opens your wallet',
  sameDevice: { wide: 'Open a wallet on this device', narrow: 'Open your wallet' },
  ageApp: 'Open the EU age app',
  anotherDevice: 'Use another device',
  codeAgain: 'Show the code again',
  walletAgain: 'Open your wallet again',
  browser: {
    ask: 'Choose your wallet',
    otherOptions: 'Other options',
    orScan: 'or scan with your phone',
    sending: 'Your answer is on its way…',
    failed: 'That did not work. Try again or choose another option.',
  },
  signIn: {
    asks: (merchant) => `Sign in to ${merchant} with your wallet`,
    cancel: 'Cancel the sign-in',
    onward: 'Continue',
    startThere: 'To sign in on your phone, open the website there.',
    how: 'Confirm in your wallet and you are signed in. No password needed.',
    howWithCode:
      'Scan the code and confirm in your wallet. Your phone then shows a code to enter here. No password needed.',
  },
  timeLeft: 'Time left',
  test: 'Test mode: no real data.',
  testWallet: 'Answer with the test wallet',
  reload: 'JavaScript is off in your browser. Reload this page to see the result.',
  offline: 'You are offline. This page continues when you are back online.',
  cookies:
    'Your browser blocks cookies for this page, so you cannot choose a wallet here. The QR code and the wallet link still work.',
  privacy: 'Your wallet shows you everything before you share it.',
  noWallet: {
    title: 'No wallet yet?',
    text: 'A wallet is an app that holds your digital ID on your phone. Install the one for your country, add your ID, then come back.',
  },
  privacyPolicy: 'Privacy policy',
  support: 'Help',
  language: 'Language',
  progress: {
    label: 'Progress',
    opened: 'Request opened',
    onPhone: 'Confirm on your phone',
    inWallet: 'Confirm in your wallet',
    confirmed: 'Confirmed in your wallet',
    check: 'We check your ID',
    result: (merchant) => `${merchant} receives the result`,
  },
  steps: {
    waiting: { title: 'Waiting for your wallet', text: () => 'This page continues by itself.' },
    fetched: { title: 'Continue in your wallet', text: () => 'Check what will be shared, then confirm or decline.' },
    checking: {
      title: 'Checking your ID',
      text: () => 'This usually takes a few seconds. Please keep this page open.',
    },
    completed: { title: 'Done', text: (merchant) => `${merchant} has received the result.` },
    declined: { title: 'Nothing was shared', text: () => 'You declined, or your wallet has no matching ID.' },
    failed: {
      title: 'We could not confirm your ID',
      text: () => 'The check of your ID failed. Your data was not passed on. Use another ID.',
    },
    expired: {
      title: 'This link has expired',
      text: (merchant) => `Nothing was shared. Ask ${merchant} for a new link.`,
    },
  },
  scanned: {
    title: 'Continue on your phone',
    text: () => 'Your wallet shows what will be shared. Confirm or decline there.',
  },
  done: {
    age: { title: 'Age check complete', text: (merchant) => `${merchant} has received the answer.` },
    details: { title: 'Details shared', text: (merchant) => `${merchant} has received them.` },
    payment: { title: 'Payment confirmed', text: (merchant) => `${merchant} has received your confirmation.` },
    agreement: { title: 'Confirmed', text: (merchant) => `${merchant} has received your confirmation.` },
  },
  close: 'You can close this page.',
  received: (merchant) => `What ${merchant} received`,
  notPassedOn: 'Your data was not passed on.',
  reasons: {
    revoked: { title: 'This ID has been revoked', text: () => 'Contact the office that issued it, or use another ID.' },
    suspended: { title: 'This ID is suspended', text: () => 'Contact the office that issued it, or use another ID.' },
    outdated: {
      title: 'This ID is not valid now',
      text: () => 'It has expired or is not valid yet. Renew it in your wallet, or use another ID.',
    },
    untrusted: {
      title: 'This ID is not accepted here',
      text: (merchant) => `${merchant} does not accept IDs from this issuer. Use another ID.`,
    },
    incomplete: {
      title: 'Some details are missing',
      text: (merchant) => `Your wallet did not share everything ${merchant} needs. Try again and share all of it.`,
    },
    uncheckable: {
      title: 'We could not check your ID',
      text: () => 'We could not confirm that it is still valid. Try again in a few minutes.',
    },
    wallet_error: {
      title: 'Your wallet reported an error',
      text: () => 'It may have no matching ID or need an update. Add an ID or use another wallet, then try again.',
    },
    not_confirmed: {
      title: 'Not confirmed in your wallet',
      text: (merchant) => `Your wallet did not confirm what you agreed to. Try again, or contact ${merchant}.`,
    },
    cancelled: {
      title: 'Request cancelled',
      text: (merchant) => `${merchant} has cancelled this request. Nothing was shared.`,
    },
  },
  contact: (merchant) => `Contact ${merchant}`,
  back: (merchant) => `Back to ${merchant}`,
  again: (merchant) => `Try again at ${merchant}`,
  elsewhere: {
    signIn: {
      title: 'This sign-in was started in another browser',
      texts: [
        'Nothing was shared.',
        'To sign in yourself, go to the website and start there. If you received this link from someone, do not continue: they may be trying to sign in as you.',
        'Did you start here? Your browser may block cookies for this page. Allow them and start again.',
      ],
    },
    signInOver: {
      title: 'This sign-in has ended',
      texts: [
        'If you have signed in, you can close this page.',
        'To sign in, go to the website and start there. If you received this link from someone, they may have tried to sign in as you.',
      ],
    },
    held: {
      title: 'This request is open in another browser',
      texts: [
        'Nothing was shared here.',
        'Continue in the browser where you first opened it. If that was not you, ask for a new link and do not use this one.',
      ],
    },
  },
  stops: {
    busy: { title: 'Too many attempts', text: 'Wait a minute, then try again.' },
    away: { title: 'This page is not available right now', text: 'Try again in a moment.' },
  },
  tryAgain: 'Try again',
  tryAnother: 'Try with another ID',
  goBack: 'Back',
  unknown: {
    title: 'Request not found',
    text: 'This request does not exist, or no longer exists. Go back to the website or message you came from and open the link there again.',
  },
}
