// The hosted page in English.

import type { Words } from './words.ts'

export const en: Words = {
  confirmAge: (merchant, age) => `Confirm to ${merchant} that you are ${age} or older`,
  share: (merchant, list) =>
    list === null ? `Share your details with ${merchant}` : `Share your ${list} with ${merchant}`,
  receives: (merchant) => `${merchant} receives`,
  yesOrNo: (age) => `${age} or older, yes or no`,
  onBehalfOf: (tenant) => `On behalf of ${tenant}`,
  colon: ':',
  why: 'Why',
  registeredPurpose: 'Registered purpose',
  agree: {
    asks: (merchant) => `${merchant} asks for your agreement`,
    title: 'You agree in your wallet to',
    pay: (amount, payee) => `Pay ${amount} to ${payee}`,
    recurring: 'This payment repeats.',
    sign: 'Sign',
  },
  documents: 'Accepted',
  presents: 'What your wallet shows for this',
  birthDateForAge:
    'If your wallet can only prove your age with your date of birth, it sends that to us for the check. We do not keep it or pass it on.',
  issuerToo: (merchant) => `${merchant} also learns what kind of ID you used and who issued it.`,
  scan: 'Scan this code with the camera of the phone that holds your wallet.',
  qr: 'QR code that opens your wallet',
  sameDevice: 'Open the wallet on this device',
  ageApp: 'Open the EU age app',
  anotherDevice: 'Use another device',
  codeAgain: 'Show the code again',
  browser: {
    ask: 'Use a wallet on this device or phone',
    otherWays: 'Other ways',
    sending: 'Your answer is on its way…',
    failed: 'That did not work. You can try again, or take one of the other ways.',
  },
  signIn: {
    asks: (merchant) => `Sign in to ${merchant} with your wallet`,
    cancel: 'Cancel the sign-in',
    onward: 'Go on',
    startThere: 'To use your phone, open the website on your phone and sign in there.',
  },
  timeLeft: 'Time left',
  test: 'Test mode: no real data',
  testWallet: 'Answer with the test wallet',
  reload: 'Your browser runs no scripts here. Reload the page to see how it went.',
  offline: 'You are offline. This page continues once you are online again.',
  cookies:
    'Your browser blocks cookies for this page, so it cannot ask a wallet itself. The code and the link work without them.',
  privacy: 'Your wallet shows what will be shared. You decide there.',
  noWallet: {
    title: 'No wallet yet?',
    text: 'A wallet is an app that keeps your digital ID on your phone. Install the one for your country, add your ID, then come back.',
  },
  privacyPolicy: 'Privacy policy',
  support: 'Help',
  language: 'Language',
  way: {
    label: 'How it goes',
    scan: 'Scan the code',
    open: 'Open your wallet',
    onPhone: 'Continue on your phone',
    inWallet: 'Confirm in your wallet',
    check: 'Check',
    done: 'Done',
  },
  steps: {
    waiting: { title: 'Waiting for your wallet', text: 'This page updates by itself.' },
    fetched: {
      title: 'Continue in your wallet',
      text: 'Your wallet has opened the request. Check what it shares, then confirm or decline there.',
    },
    checking: { title: 'Checking your ID', text: 'Your answer has arrived. This takes a moment.' },
    completed: { title: 'Done', text: 'Your ID was checked and the result was sent. You can close this page.' },
    declined: {
      title: 'Request declined',
      text: 'Nothing was shared. You declined in your wallet, or it has no matching ID.',
    },
    failed: {
      title: 'We could not confirm this',
      text: 'Your wallet answered, but the check failed. Your data was not shared. Try again with another ID.',
    },
    expired: { title: 'This link has expired', text: 'Nothing was shared. Ask for a new link.' },
  },
  scanned: {
    title: 'Code scanned',
    text: 'Continue on your phone. Your wallet shows what it will share: confirm or decline there.',
  },
  reasons: {
    revoked: {
      title: 'This ID has been revoked',
      text: (merchant) => `Use another ID, or contact ${merchant}.`,
    },
    suspended: {
      title: 'This ID is suspended',
      text: (merchant) => `Its issuer has suspended it. Ask the issuer, use another ID, or contact ${merchant}.`,
    },
    outdated: {
      title: 'This ID is not valid today',
      text: () => 'It has expired or is not valid yet. Renew it in your wallet, then try again.',
    },
    untrusted: {
      title: 'This ID is not accepted here',
      text: (merchant) => `${merchant} does not accept IDs from this issuer. Use another ID, or contact ${merchant}.`,
    },
    incomplete: {
      title: 'Something was missing',
      text: (merchant) => `Your wallet did not share everything that ${merchant} needs. Try again and share all of it.`,
    },
    uncheckable: {
      title: 'We could not check your ID',
      text: () => 'We could not find out whether it is still valid. Try again in a few minutes.',
    },
    wallet_error: {
      title: 'Your wallet reported an error',
      text: () =>
        'It may have no ID that fits, or need an update. Open it again, add an ID or use another wallet, then try again.',
    },
    not_confirmed: {
      title: 'Not confirmed in your wallet',
      text: (merchant) =>
        `Your wallet did not confirm what you were asked to agree to. Try again, or contact ${merchant}.`,
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
      title: 'This sign-in began in another browser',
      texts: [
        'Nothing was shared.',
        'To sign in yourself, go to the website and start there. If you received this link from someone, do not continue: they may be trying to sign in as you.',
        'Did you start here? Then your browser blocks cookies for this page. Allow them and start again.',
      ],
    },
    held: {
      title: 'This request is open in another browser',
      texts: [
        'Nothing was shared here.',
        'Continue in the browser in which you opened it first. If that was not you, ask for a new link and do not use this one.',
      ],
    },
  },
  stops: {
    busy: { title: 'Too many tries', text: 'Nothing was shared. Wait a minute, then try again.' },
    away: { title: 'This page is not available right now', text: 'Nothing was shared. Try again in a moment.' },
  },
  tryAgain: 'Try again',
  unknown: {
    title: 'Request not found',
    text: 'There is no such request, or it has been removed. Please ask for a new link.',
  },
}
