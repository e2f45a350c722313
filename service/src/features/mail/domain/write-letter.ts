// Writes the letter of a mail in the reader's language.

import type { Language } from '../../../../../labels/catalogue.ts'
import type { Instant } from '../../../platform/world.ts'
import { type Letter, type RenderedLetter, renderLetter } from './letter.ts'
import { type Mail, type MailContents, type MailKind, plainLine } from './mail.ts'
import type { MailBrand } from './mail-look.ts'
import { de } from './words/de.ts'
import { en } from './words/en.ts'
import { es } from './words/es.ts'
import { fr } from './words/fr.ts'
import { it } from './words/it.ts'
import { nl } from './words/nl.ts'
import type { MailWords } from './words/words.ts'

const MAIL_WORDS: Readonly<Record<Language, MailWords>> = { en, de, fr, it, es, nl }

/** `baseUrl` is the public address of the service, for the footer. */
export function writeLetter(mail: Mail, baseUrl: string, brand: MailBrand | null): RenderedLetter {
  const { kind, language, values } = mail
  const words = MAIL_WORDS[language]
  const write = LETTERS[kind] as (words: MailWords, values: Mail['values'], language: Language) => Letter
  const footer = words.footer(new URL(baseUrl).host)
  return renderLetter(write(words, values, language), { language, footer, orOpen: words.orOpen, brand })
}

type Letters = {
  readonly [K in MailKind]: (words: MailWords, values: MailContents[K], language: Language) => Letter
}

const LETTERS: Letters = {
  invitation({ invitation, roles, once }, { tenantName, role, url, until }, language) {
    const tenant = plainLine(tenantName)
    return {
      sender: tenant,
      subject: invitation.subject(tenant),
      paragraphs: [invitation.lead(tenant, roles[role] ?? role)],
      links: [{ label: invitation.accept, url }],
      notes: [once(shownTime(until, language)), invitation.unexpected],
    }
  },
  verification_link({ verificationLink: words }, values, language) {
    const merchant = plainLine(values.merchant)
    const tenant = plainLine(values.tenantName)
    return {
      sender: merchant,
      subject: `${values.isTest ? `${words.test}: ` : ''}${words.subject(merchant)}`,
      paragraphs: [
        words.lead(merchant),
        ...(values.purpose === null ? [] : [words.purpose(plainLine(values.purpose))]),
        words.consent,
      ],
      links: [{ label: words.open, url: values.url }],
      notes: [words.until(shownTime(values.until, language)), words.unexpected(merchant)],
      // Only the legal name: "on behalf of" would make one company the processor of another (Art. 28 GDPR).
      ...(tenant === merchant ? {} : { legalName: tenant }),
    }
  },
  alert({ alert: words }, { tenantName, facts, url, unsubscribe }, language) {
    const tenant = plainLine(tenantName)
    const number = new Intl.NumberFormat(language)
    const { subject, paragraphs } =
      facts.topic === 'quota'
        ? words.quota(tenant, facts.percent, number.format(facts.used), number.format(facts.quota))
        : words.webhooks(tenant, facts.host, shownTime(facts.since, language), facts.isDisabled)
    return {
      subject,
      paragraphs,
      links: [{ label: words.open[facts.topic], url }],
      notes: [],
      unsubscribe: { label: words.unsubscribe, url: unsubscribe },
    }
  },
  new_sign_in({ newSignIn }, { method, at, url }, language) {
    return {
      subject: newSignIn.subject,
      paragraphs: [
        newSignIn.lead(shownTime(at, language), newSignIn.methods[method] ?? method),
        newSignIn.yours,
        newSignIn.notYours,
      ],
      links: [{ label: newSignIn.open, url }],
      notes: [],
    }
  },
  lost_access({ lostAccess, once }, { links, until }, language) {
    const [first, ...more] = links
    const isOnly = first !== undefined && more.length === 0
    return {
      subject: lostAccess.subject,
      paragraphs: [lostAccess.lead, lostAccess.replaces],
      links: links.map(({ tenantNames, url }) => ({
        label: isOnly ? lostAccess.go : lostAccess.goTo(tenantNames.map(plainLine).join(', ')),
        url,
      })),
      notes: [once(shownTime(until, language)), lostAccess.sameBrowser, lostAccess.unexpected],
    }
  },
}

export function writeTestLetter(language: Language, baseUrl: string): RenderedLetter {
  const { test, footer, orOpen } = MAIL_WORDS[language]
  const letter = { subject: test.subject, paragraphs: [test.lead], links: [], notes: [] }
  return renderLetter(letter, { language, footer: footer(new URL(baseUrl).host), orOpen, brand: null })
}

/** British English: the day before the month, 24 hours. */
const shownTime = (at: Instant, language: Language): string =>
  `${new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(at))} ${language === 'de' ? 'Uhr (UTC)' : 'UTC'}`
