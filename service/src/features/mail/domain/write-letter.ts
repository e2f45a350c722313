// Writes the letter of a mail in the reader's language. Pure.

import type { Language } from '../../../../../labels/catalogue.ts'
import type { Instant } from '../../../platform/world.ts'
import { type RenderedLetter, renderLetter } from './letter.ts'
import { type Mail, plainLine } from './mail.ts'
import { de } from './words/de.ts'
import { en } from './words/en.ts'
import { es } from './words/es.ts'
import { fr } from './words/fr.ts'
import { it } from './words/it.ts'
import { nl } from './words/nl.ts'
import type { MailWords } from './words/words.ts'

const MAIL_WORDS: Readonly<Record<Language, MailWords>> = { en, de, fr, it, es, nl }

/** `baseUrl`: the public address of the service, which the footer names. */
export function writeLetter(mail: Mail, baseUrl: string): RenderedLetter {
  const words = MAIL_WORDS[mail.language]
  const { tenantName, role, url, until } = mail.values
  const tenant = plainLine(tenantName)
  const letter = {
    subject: words.invitation.subject(tenant),
    paragraphs: [words.invitation.lead(tenant, words.roles[role] ?? role)],
    links: [{ label: words.invitation.accept, url }],
    notes: [words.once(shownTime(until, mail.language)), words.invitation.unexpected],
  }
  return renderLetter(letter, mail.language, words.footer(new URL(baseUrl).host))
}

export function writeTestLetter(language: Language, baseUrl: string): RenderedLetter {
  const { test, footer } = MAIL_WORDS[language]
  const letter = { subject: test.subject, paragraphs: [test.lead], links: [], notes: [] }
  return renderLetter(letter, language, footer(new URL(baseUrl).host))
}

const shownTime = (at: Instant, language: Language): string =>
  `${new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(at))} UTC`
