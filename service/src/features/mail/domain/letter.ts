// Turns a letter into the two forms of a mail: text, and HTML for light and dark screens. Pure.

import type { Language } from '../../../../../labels/catalogue.ts'

export interface Letter {
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** Addresses of this service. */
  readonly links: readonly { readonly label: string; readonly url: string }[]
  readonly notes: readonly string[]
  /** Below everything, and for mail programs: a mail that a person can turn off has it. */
  readonly unsubscribe?: { readonly label: string; readonly url: string }
}

export interface RenderedLetter {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** RFC 8058: posting there ends the subscription. */
  readonly unsubscribeUrl?: string
}

export function renderLetter(letter: Letter, language: Language, footer: string): RenderedLetter {
  const { subject, paragraphs, links, notes, unsubscribe } = letter
  const linkLines = links.map(({ label, url }) => `${label}:\n${url}`)
  const off = unsubscribe === undefined ? '' : `\n${unsubscribe.label}:\n${unsubscribe.url}`
  const text = `${[subject, ...paragraphs, ...linkLines, ...notes, `-- \n${footer}${off}`].join('\n\n')}\n`
  const rendered = { subject, text, html: html(letter, language, footer) }
  return unsubscribe === undefined ? rendered : { ...rendered, unsubscribeUrl: unsubscribe.url }
}

const html = (
  { subject, paragraphs, links, notes, unsubscribe }: Letter,
  language: Language,
  footer: string,
) => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>${STYLE}</style>
</head>
<body>
<div class="card">
<h1>${escaped(subject)}</h1>
${paragraphs.map((one) => `<p>${escaped(one)}</p>`).join('\n')}
${links.map(({ label, url }) => `<p><a class="button" href="${escaped(url)}">${escaped(label)}</a></p>`).join('\n')}
${notes.map((one) => `<p class="soft">${escaped(one)}</p>`).join('\n')}
</div>
<p class="foot">${escaped(footer)}${unsubscribe === undefined ? '' : `<br><a href="${escaped(unsubscribe.url)}">${escaped(unsubscribe.label)}</a>`}</p>
</body>
</html>
`

const STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 24px 12px; background: #f4f5f7; color: #16181d; font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.card { max-width: 520px; margin: 0 auto; padding: 28px; border: 1px solid #d9dce3; border-radius: 16px; background: #ffffff; }
h1 { margin: 0 0 16px; font-size: 20px; line-height: 1.3; }
p { margin: 0 0 16px; overflow-wrap: anywhere; }
.button { display: inline-block; padding: 12px 20px; border-radius: 10px; background: #1f4fd8; color: #ffffff; font-weight: 600; text-decoration: none; }
.soft, .foot { color: #565d6b; font-size: 14px; }
.foot a { color: inherit; }
.foot { max-width: 520px; margin: 16px auto 0; padding: 0 28px; }
@media (prefers-color-scheme: dark) {
  body { background: #0f1115; color: #f1f3f7; }
  .card { background: #181b21; border-color: #343943; }
  .button { background: #8fb0ff; color: #0b1430; }
  .soft, .foot { color: #a8afbd; }
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
