// English: a holder is asked from the dashboard.

export const enAsking = {
  asking: {
    create: 'New verification',
    ask: 'Ask',
    lead: 'You get a link to send and a QR code to show. What the holder answers appears on the next page.',
    leadLive: 'This asks a real person, and counts towards your quota.',
    template: 'What do you want to know?',
    purpose: 'Purpose',
    purposeHint: 'Why you ask. The holder reads it before answering.',
    purposeExample: 'To sell you wine',
    reference: 'Reference',
    referenceHint: 'Your order or booking number, to find it again. The holder does not see it.',
    referenceExample: 'Order 1024',
    optional: 'optional',
    expiry: 'Open for',
    minutes: (n: number) => (n === 60 ? '1 hour' : `${n} minutes`),
    submit: 'Create the link',
    waiting: 'Waiting for the holder',
    waitingLead: 'This page shows the answer as soon as there is one.',
    fetched: 'A wallet has opened the request.',
    left: 'Open for',
    over: 'Its time is over.',
    link: 'Link to send',
    copyLink: 'Copy the link',
    openPage: 'Open the page',
    scan: 'Or let the holder scan this with the phone',
    mail: 'Text for an e-mail',
    copyMail: 'Copy the text',
    openMail: 'Write the e-mail',
    mailSubject: (merchant: string) => `${merchant} asks you for a proof`,
    mailText: ({ merchant, purpose, link, until }: MailParts) =>
      `Hello,\n\n${merchant} asks you for a proof from your digital wallet.${purpose === null ? '' : `\nReason: ${purpose}`}\n\nPlease open this link on your phone or computer:\n${link}\n\nYou see what is asked for before you share anything. The link works until ${until}.\n\nKind regards\n${merchant}`,
    cancel: 'Take it back',
    cancelTitle: 'Take this verification back?',
    cancelLead: 'The link and the QR code stop working at once. An answer that comes later is refused.',
  },
}

interface MailParts {
  readonly merchant: string
  readonly purpose: string | null
  readonly link: string
  readonly until: string
}
