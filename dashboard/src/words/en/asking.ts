// English: a verification that is started from the dashboard.

export const enAsking = {
  asking: {
    create: 'New verification',
    ask: 'Start verification',
    lead: 'You get a link to send and a QR code to show. The result appears on the next page.',
    leadLive: 'This verification is for a real person, and counts towards your quota.',
    template: 'What do you want to know?',
    purpose: 'Purpose',
    purposeHint: 'Why you ask. People read this before they answer.',
    purposeExample: 'To sell you wine',
    reference: 'Reference',
    referenceHint: 'Your order or booking number, so you can find it again. Only you see it.',
    referenceExample: 'Order 1024',
    optional: 'optional',
    expiry: 'Valid for',
    minutes: (n: number) => (n === 60 ? '1 hour' : `${n} minutes`),
    submit: 'Start verification',
    waiting: 'Waiting for an answer',
    waitingLead: 'The result appears here as soon as the person answers.',
    fetched: 'A wallet has opened the request.',
    left: 'Valid for another',
    over: 'The link has expired.',
    link: 'Link to send',
    copyLink: 'Copy link',
    openPage: 'Open page',
    scan: 'Or let the person scan this code with their phone',
    mail: 'E-mail text',
    copyMail: 'Copy text',
    openMail: 'Open in e-mail app',
    mailSubject: (merchant: string) => `${merchant}: please confirm your details`,
    mailText: ({ merchant, purpose, link, until }: MailParts) =>
      `Hello,\n\n${merchant} asks you to confirm details with your digital wallet.${purpose === null ? '' : `\nReason: ${purpose}`}\n\nPlease open this link on your phone or computer:\n${link}\n\nYou will see exactly what is asked for before you share anything. The link works until ${until}.\n\nKind regards\n${merchant}`,
    cancel: 'Cancel verification',
    cancelTitle: 'Cancel this verification?',
    cancelLead: 'The link and the QR code stop working immediately. Later answers are refused.',
  },
}

interface MailParts {
  readonly merchant: string
  readonly purpose: string | null
  readonly link: string
  readonly until: string
}
