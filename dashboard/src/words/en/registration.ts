// English: what the menu, the first page and the page of a verification say of registration.

export const enRegistration = {
  registration: {
    title: 'Registration',
  },
  goingLive: {
    title: 'Going live',
    lead: 'Everything you need before you verify real people. Your operator helps with the approval steps.',
    testLead:
      'A few steps are needed before you can verify real people: your registration, the issuers you trust and a live API key.',
    toLive: 'See the steps',
  },
  forgetting: {
    forget: 'Delete the data',
    title: 'Delete this data?',
    lead: 'Claims and credentials are deleted for good. The record of the verification and its outcome stays. Make sure you have everything you need.',
  },
}
