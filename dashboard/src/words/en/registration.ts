// English: words about registration for the menu, the first page and the page of a verification.

export const enRegistration = {
  registration: {
    title: 'Registration',
  },
  goingLive: {
    title: 'Going live',
    lead: 'Everything you need before you verify real people. Your operator helps with the approval.',
    testLead:
      'A few steps are needed before you can verify real people: your registration, a signing certificate and trusted issuers.',
    toLive: 'See the steps',
  },
  forgetting: {
    forget: 'Delete the personal data',
    title: 'Delete the personal data?',
    lead: 'Names, dates, photos and everything else this person shared are deleted for good. The outcome and the receipt stay.',
  },
}
