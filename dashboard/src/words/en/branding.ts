// English: how the hosted page looks.

export const enBranding = {
  title: 'Branding',
  lead: 'How the hosted page looks in this environment. Wallets always show the name in your certificate.',
  name: 'Name shown',
  nameHint: (tenant: string) =>
    `Leave it empty to use ${tenant}. If you enter another name, ${tenant} is shown below it.`,
  colour: 'Colour',
  colourHint: 'Of buttons and marks. Text in it is made darker or lighter until everybody can read it.',
  ownColour: 'Use a colour of your own',
  support: 'Help page',
  privacy: 'Privacy policy',
  linkHint: 'An https address. Left empty, there is no link.',
  logo: 'Logo',
  logoHint: (kib: number) =>
    `SVG or PNG, up to ${kib} KiB. We check and rewrite it, so it cannot contain scripts, external content or hidden data.`,
  removeLogo: 'Remove the logo',
  preview: 'Preview',
  previewTitle: 'The hosted page as it would look',
  screen: 'Screen',
  state: 'State',
  sizes: { desktop: 'Computer', phone: 'Phone' },
  steps: { waiting: 'Waiting', completed: 'Done', declined: 'Declined' },
  language: 'Language',
  problems: {
    name: 'The name must have a letter or a digit, and no invisible characters.',
    colour: 'A colour is six hexadecimal digits, like #1f5f5b.',
    support_url: 'The address of the help page must begin with https://.',
    privacy_url: 'The address of the privacy policy must begin with https://.',
    logo_too_large: 'The logo is too large.',
    logo_not_a_picture: 'This is no SVG with a viewBox, and no whole PNG of 16 to 1024 pixels a side (not interlaced).',
    logo_forbidden: 'The logo has in it what a drawing does not need:',
  },
}
