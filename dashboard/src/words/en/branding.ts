// English: how the hosted page looks.

export const enBranding = {
  title: 'Branding',
  lead: 'How the hosted page, your tills and their customer screens look in this environment. Wallets always show the name in your certificate.',
  name: 'Name shown',
  nameHint: (tenant: string) =>
    `Leave it empty to use ${tenant}. If you enter another name, ${tenant} is shown below it.`,
  colour: 'Colour',
  colourHint:
    'For buttons, links and marks. If its contrast is too low, buttons get an edge and text gets darker or lighter; the preview says so.',
  ownColour: 'Use a colour of your own',
  background: 'Background',
  backgroundHint: 'Of the hosted page, around the card. On dark screens we use a dark shade of it.',
  ownBackground: 'Use a background of your own',
  radius: 'Corners',
  radii: { none: 'Square', small: 'Slightly rounded', medium: 'Rounded', large: 'Very rounded' },
  font: 'Font',
  fonts: {
    system: 'System font',
    inter: 'Inter',
    nunito: 'Nunito',
    source_serif: 'Source Serif',
    atkinson: 'Atkinson Hyperlegible',
  },
  support: 'Help page',
  privacy: 'Privacy policy',
  linkHint: 'An https address. Left empty, there is no link.',
  helpText: 'Text when a check fails',
  helpTextHint: 'One or two sentences, shown with the reason. For example: “Call us: 030 123456.”',
  logos: { logo: 'Logo', logo_dark: 'Logo for dark screens' },
  logoDarkHint: 'Leave it empty to show the other logo there, too.',
  logoHint: (kib: number) =>
    `SVG or PNG, up to ${kib} KiB. We check and rewrite it, so it cannot contain scripts, external content or hidden data.`,
  removeLogo: { logo: 'Remove the logo', logo_dark: 'Remove the logo for dark screens' },
  preview: 'Preview',
  previewTitle: 'The hosted page as it would look',
  screen: 'Screen',
  state: 'State',
  sizes: { desktop: 'Computer', phone: 'Phone' },
  theme: 'Theme',
  themes: { light: 'Light', dark: 'Dark' },
  corrected: {
    button: (colour: string) =>
      `Your colour is hard to see as a button here. The button gets an edge in ${colour} (contrast 3 to 1).`,
    text: (colour: string) =>
      `Your colour is hard to read as text here. Links are shown in ${colour} instead (contrast 4.5 to 1).`,
  },
  steps: { waiting: 'Waiting', completed: 'Done', declined: 'Declined' },
  language: 'Language',
  problems: {
    name: 'The name must have a letter or a digit, and no invisible characters.',
    colour: 'A colour is six hexadecimal digits, like #1f5f5b.',
    background: 'A colour is six hexadecimal digits, like #f4efe6.',
    radius: 'Choose one of the listed corners.',
    font: 'Choose one of the listed fonts.',
    help_text: 'The text must have a letter or a digit, and no line breaks.',
    support_url: 'The address of the help page must begin with https://.',
    privacy_url: 'The address of the privacy policy must begin with https://.',
    logo_too_large: 'The logo is too large.',
    logo_not_a_picture: 'This is no SVG with a viewBox, and no whole PNG of 16 to 1024 pixels a side (not interlaced).',
    logo_forbidden: 'The logo has in it what a drawing does not need:',
  },
}
