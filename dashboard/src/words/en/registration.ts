// English: what the menu, the first page and the page of a verification say of registration.

export const enRegistration = {
  registration: {
    title: 'Registration',
  },
  goingLive: {
    title: 'Going live',
    lead: 'What must be there before you ask real people. Your operator helps with the first five.',
    testLead:
      'Before you ask real people there are a few steps: who you are in the register, whose documents you accept, a live key. The list tells you which are open.',
    toLive: 'Show what live needs',
  },
  forgetting: {
    forget: 'Forget the content',
    title: 'Delete this data?',
    lead: 'Claims and credentials are deleted for good; that it was verified, and how it ended, stays. Make sure that you have what you need.',
  },
}
