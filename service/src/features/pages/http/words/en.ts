// The hosted page in English.

import type { Words } from './words.ts'

export const en: Words = {
  asks: (merchant) => `${merchant} asks you for a proof`,
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
  what: 'What is asked for',
  documents: 'Accepted',
  birthDateForAge:
    'If your wallet can only tell your age by your date of birth, it shows that; we neither keep it nor pass it on.',
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
  test: 'Test: no real data is asked for',
  testWallet: 'Answer with the test wallet',
  reload: 'Your browser runs no scripts here. Reload the page to see how it went.',
  offline: 'You are offline. This page goes on by itself when you are back.',
  cookies:
    'Your browser blocks cookies for this page, so it cannot ask a wallet itself. The code and the link work without them.',
  privacy: 'You see in your wallet what would be shown, and decide there. This page learns nothing of it.',
  privacyPolicy: 'Privacy policy',
  support: 'Help',
  language: 'Language',
  way: {
    label: 'How it goes',
    scan: 'Scan the code',
    open: 'Open your wallet',
    onPhone: 'Continue on your phone',
    inWallet: 'Confirm in your wallet',
    check: 'Being checked',
    done: 'Done',
  },
  steps: {
    waiting: { title: 'Waiting for your wallet', text: 'This page notices by itself when you have answered.' },
    fetched: {
      title: 'Continue in your wallet',
      text: 'Your wallet has the request. Look at what it would show, and confirm or decline there.',
    },
    checking: { title: 'Being checked', text: 'Your answer has arrived. This takes a moment.' },
    completed: { title: 'Done', text: 'Your answer was checked and passed on. You can close this page.' },
    declined: {
      title: 'You declined',
      text: 'Nothing was passed on. Your wallet declined, or it has nothing that answers the question.',
    },
    failed: {
      title: 'Not proven',
      text: 'Your wallet answered, but the proof could not be confirmed. Nothing was passed on.',
    },
    expired: { title: 'Time is up', text: 'This request is no longer valid. Please ask for a new one.' },
  },
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
  unknown: {
    title: 'Request not found',
    text: 'There is no such request, or it has been removed. Please ask for a new link.',
  },
}
