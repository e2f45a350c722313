// Renders a letter as the two parts of a mail: text, and HTML for light and dark screens.

import type { Language } from '../../../../../labels/catalogue.ts'
import { lookOf, type MailBrand, type MailLook } from './mail-look.ts'

export interface Letter {
  readonly subject: string
  /**
   * The tenant that sends the mail, shown above the card with its logo. Without it, the service's name and mark are
   * shown.
   */
  readonly sender?: string
  /** The tenant's legal name for the foot, if it differs. */
  readonly legalName?: string
  readonly paragraphs: readonly string[]
  /** Links to this service. */
  readonly links: readonly { readonly label: string; readonly url: string }[]
  readonly notes: readonly string[]
  /** The unsubscribe link, below everything and in the headers, for mails that a person can turn off. */
  readonly unsubscribe?: { readonly label: string; readonly url: string }
}

/** An image inside the mail. Nothing is loaded from a server, so no server learns when the mail is read. */
interface InlineImage {
  readonly cid: string
  readonly bytes: Buffer
}

export interface RenderedLetter {
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly images: readonly InlineImage[]
  /** A POST to this address ends the subscription (RFC 8058). */
  readonly unsubscribeUrl?: string
}

export interface LetterFrame {
  readonly language: Language
  readonly footer: string
  /** The text between a button and its address. */
  readonly orOpen: string
  readonly brand: MailBrand | null
}

export function renderLetter(letter: Letter, frame: LetterFrame): RenderedLetter {
  const { subject, paragraphs, links, notes, legalName, unsubscribe } = letter
  const linkLines = links.map(({ label, url }) => `${label}:\n${url}`)
  const off = unsubscribe === undefined ? '' : `\n${unsubscribe.label}:\n${unsubscribe.url}`
  const text = `${[subject, ...paragraphs, ...linkLines, ...notes, `-- \n${legalName === undefined ? '' : `${legalName}\n`}${frame.footer}${off}`].join('\n\n')}\n`
  const rendered = { subject, text, html: html(letter, frame), images: imagesOf(letter, frame) }
  return unsubscribe === undefined ? rendered : { ...rendered, unsubscribeUrl: unsubscribe.url }
}

const LOGO = 'logo@mail'
const DARK_LOGO = 'logo-dark@mail'

function imagesOf({ sender }: Letter, { brand }: LetterFrame): readonly InlineImage[] {
  if (sender === undefined || brand === null) return []
  const { logo, logoDark } = brand
  return [
    ...(logo === null ? [] : [{ cid: LOGO, bytes: logo }]),
    ...(logoDark === null ? [] : [{ cid: DARK_LOGO, bytes: logoDark }]),
  ]
}

function html(letter: Letter, frame: LetterFrame): string {
  const { subject, paragraphs, links, notes, legalName, unsubscribe } = letter
  const { language, footer, orOpen, brand } = frame
  const look = lookOf(brand)
  const { light } = look
  // Some mail programs ignore <style>, so the button also has its style inline.
  const button = `display:inline-block;padding:12px 20px;border:1px solid ${light.edge};border-radius:${look.buttonRadius}px;background:${light.button};color:${light.onButton};font-weight:600;text-decoration:none`
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>${styleOf(look)}</style>
</head>
<body>
${senderPart(letter, brand)}<div class="card">
<h1>${escaped(subject)}</h1>
${paragraphs.map((one) => `<p>${escaped(one)}</p>`).join('\n')}
${links.map(({ label, url }) => `<p><a class="button" href="${escaped(url)}" style="${button}">${escaped(label)}</a></p>\n<p class="soft">${escaped(orOpen)}<br>${escaped(url)}</p>`).join('\n')}
${notes.map((one) => `<p class="soft">${escaped(one)}</p>`).join('\n')}
</div>
<p class="foot">${legalName === undefined ? '' : `${escaped(legalName)}<br>`}${escaped(footer)}${unsubscribe === undefined ? '' : `<br><a href="${escaped(unsubscribe.url)}">${escaped(unsubscribe.label)}</a>`}</p>
</body>
</html>
`
}

/** The service's mark as text, because many mail programs block images. */
const MARK =
  '<span aria-hidden="true" style="display:inline-block;width:28px;height:28px;margin-right:10px;border-radius:7px;background:#1f5f5b;color:#ffffff;font-weight:700;line-height:28px;text-align:center">V</span>'

/** A single logo is shown in both colour schemes. Of two logos, each is for one scheme. */
function senderPart({ sender }: Letter, brand: MailBrand | null): string {
  if (sender === undefined) return `<p class="sender">${MARK}Vidimus</p>\n`
  const image = (cid: string, kind: string) => `<img class="${kind}" src="cid:${cid}" alt="" height="40">`
  const { logo, logoDark } = brand ?? { logo: null, logoDark: null }
  const only = logo === null ? DARK_LOGO : LOGO
  const shown =
    logo !== null && logoDark !== null
      ? `${image(LOGO, 'logo on-light')}<!--[if !mso]><!-->${image(DARK_LOGO, 'logo on-dark')}<!--<![endif]-->`
      : logo === null && logoDark === null
        ? ''
        : image(only, 'logo')
  return `<p class="sender">${shown}${escaped(sender)}</p>\n`
}

const styleOf = ({ font, cardRadius, buttonRadius, light, dark }: MailLook) => `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 24px 12px; background: ${light.ground}; color: ${light.text}; font: 16px/1.5 ${font}; }
.sender, .card, .foot { max-width: 520px; margin: 0 auto; }
.sender { padding: 0 28px 16px; color: ${light.onGround}; font-weight: 600; }
.logo { height: 40px; width: auto; max-width: 180px; margin-right: 12px; border: 0; vertical-align: middle; }
.on-dark { display: none; }
.card { padding: 28px; border: 1px solid ${light.line}; border-radius: ${cardRadius}px; background: ${light.card}; }
h1 { margin: 0 0 16px; font-size: 20px; line-height: 1.3; }
p { margin: 0 0 16px; overflow-wrap: anywhere; }
.button { border-radius: ${buttonRadius}px; }
.soft { color: ${light.soft}; font-size: 14px; }
.card > :last-child { margin-bottom: 0; }
.foot { padding: 16px 28px 0; color: ${light.onGround}; font-size: 14px; }
.foot a { color: inherit; }
@media (prefers-color-scheme: dark) {
  body { background: ${dark.ground}; color: ${dark.text}; }
  .sender, .foot { color: ${dark.onGround}; }
  .on-light { display: none; }
  .on-dark { display: inline; }
  .card { background: ${dark.card}; border-color: ${dark.line}; }
  .button { background: ${dark.button} !important; border-color: ${dark.edge} !important; color: ${dark.onButton} !important; }
  .soft { color: ${dark.soft}; }
}
`

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
