// The certificate of a verification: one page for people, with receipt and proof attached, without personal data.

import type { Language } from '../../../../../labels/catalogue.ts'
import { type Tag, writePdf } from './pdf/document.ts'
import type { Font } from './pdf/font.ts'
import { type Colour, Pen, type TextStyle } from './pdf/pen.ts'
import { CERTIFICATE_WORDS } from './words.ts'

export interface CertificateFacts {
  readonly language: Language
  readonly merchant: string
  readonly isTest: boolean
  readonly verdict: 'accepted' | 'rejected'
  /** Why it was rejected; null if it was accepted, or if there is no text for the reason. */
  readonly reason: string | null
  /** One line for each requested document; null if the request was erased. */
  readonly request: readonly string[] | null
  readonly endedAtMs: number
  readonly verificationId: string
  readonly issuer: string
  readonly log: { readonly index: number; readonly origin: string }
  readonly receiptHash: string
  readonly receipt: string
  readonly proof: string
  /** The address of the page that verifies receipts, for people to type. */
  readonly page: string
  /** The QR code: rows of dots. */
  readonly qr: readonly (readonly boolean[])[]
}

/** A4 in points. */
const [WIDTH, HEIGHT] = [595, 842]
const MARGIN = 56
const INNER = WIDTH - 2 * MARGIN
const LABEL_WIDTH = 128
const QR_SIZE = 176

const INK: Colour = [0.09, 0.1, 0.12]
const SOFT: Colour = [0.32, 0.35, 0.4]
const LINE: Colour = [0.85, 0.86, 0.89]
const GOOD = { ink: [0.04, 0.36, 0.2], wash: [0.91, 0.97, 0.93] } as const
const BAD = { ink: [0.6, 0.1, 0.1], wash: [0.99, 0.93, 0.92] } as const
const WARN = { ink: [0.45, 0.27, 0], wash: [1, 0.95, 0.83] } as const

const TITLE: TextStyle = { font: 'F2', size: 24, leading: 30, colour: INK }
const LEAD: TextStyle = { font: 'F1', size: 11, leading: 16, colour: SOFT }
const HEADING: TextStyle = { font: 'F2', size: 13, leading: 18, colour: INK }
const LABEL: TextStyle = { font: 'F1', size: 9.5, leading: 14, colour: SOFT }
const VALUE: TextStyle = { font: 'F1', size: 10.5, leading: 14, colour: INK }
const SMALL: TextStyle = { font: 'F1', size: 9.5, leading: 13.5, colour: INK }
/** Limits for the merchant's text, because the certificate has one page. */
const REQUEST_LINES_MAX = 6
const REQUEST_LENGTH_MAX = 320
const NAME_LENGTH_MAX = 80

export function drawCertificate(facts: CertificateFacts, fonts: Readonly<Record<'F1' | 'F2', Font>>): string {
  const words = CERTIFICATE_WORDS[facts.language]
  const pen = new Pen(fonts)
  const tags: Tag[] = []
  const put = (
    type: 'H1' | 'H2' | 'P',
    text: string,
    style: TextStyle,
    box: { x?: number; y: number; width?: number },
  ) => {
    const drawn = pen.text(type, text, style, { x: MARGIN, width: INNER, ...box })
    tags.push({ type, marks: [drawn.mark] })
    return drawn.y
  }
  const merchant = shorten(facts.merchant, NAME_LENGTH_MAX)
  let y = HEIGHT - MARGIN - 18
  if (facts.isTest) {
    pen.box(WARN.wash, { x: MARGIN, y: y - 8, width: INNER, height: 26 })
    y = put('P', words.test, { ...VALUE, font: 'F2', colour: WARN.ink }, { x: MARGIN + 12, y, width: INNER - 24 }) - 36
  }
  y = put('H1', words.title, TITLE, { y }) - 2
  y = put('P', words.lead(merchant), LEAD, { y }) - 12

  const isGood = facts.verdict === 'accepted'
  const { ink, wash } = isGood ? GOOD : BAD
  const outcome = isGood ? words.accepted : words.rejected
  const why = isGood ? words.acceptedText : facts.reason
  const inside = INNER - 36
  const whyHeight = why === null ? 0 : pen.heightOf(why, VALUE, inside)
  const boxHeight = 40 + whyHeight
  pen.box(wash, { x: MARGIN, y: y - boxHeight + 14, width: INNER, height: boxHeight })
  pen.box(ink, { x: MARGIN, y: y - boxHeight + 14, width: 4, height: boxHeight })
  let within = put('H2', outcome, { ...HEADING, size: 15, leading: 20, colour: ink }, { x: MARGIN + 20, y: y - 8 })
  if (why !== null) within = put('P', why, VALUE, { x: MARGIN + 20, y: within, width: inside })
  y = within - 22

  const rows: (readonly [string, string])[] = [
    [words.merchant, merchant],
    [words.requested, facts.request === null ? words.requestErased : requestText(facts.request)],
    [words.time, timeText(facts.endedAtMs, facts.language)],
    [words.verification, facts.verificationId],
    [words.issuer, facts.issuer],
    [words.log, words.logAt(String(facts.log.index), facts.log.origin)],
    [words.receiptHash, facts.receiptHash],
  ]
  const marks = rows.map(([label, value]) => {
    const head = pen.text('TH', label, LABEL, { x: MARGIN, y, width: LABEL_WIDTH - 12 })
    const data = pen.text('TD', value, VALUE, { x: MARGIN + LABEL_WIDTH, y, width: INNER - LABEL_WIDTH })
    y = Math.min(head.y, data.y) - 3
    pen.box(LINE, { x: MARGIN, y: y + 7, width: INNER, height: 0.5 })
    y -= 6
    return { head: [head.mark], data: [data.mark] }
  })
  tags.push({ type: 'Table', rows: marks })

  // The foot has a fixed position, so that a long request cannot push the QR code off the page.
  const foot = MARGIN + QR_SIZE
  const textX = MARGIN + QR_SIZE + 24
  const textWidth = INNER - QR_SIZE - 24
  let below = put('H2', words.check, HEADING, { x: textX, y: foot - 12, width: textWidth }) - 2
  for (const text of [words.checkText(facts.page), words.compare, words.noData])
    below = put('P', text, SMALL, { x: textX, y: below, width: textWidth }) - 5
  const code = pen.dots('Figure', facts.qr, { x: MARGIN, y: MARGIN, size: QR_SIZE })
  tags.push({ type: 'Figure', marks: [code], alt: words.qrAlt(facts.page) })

  return writePdf({
    title: `${words.title} ${facts.verificationId}`,
    language: facts.language,
    createdAtMs: facts.endedAtMs,
    width: WIDTH,
    height: HEIGHT,
    content: pen.content,
    tags,
    fonts: { F1: { font: fonts.F1, used: pen.used.F1 }, F2: { font: fonts.F2, used: pen.used.F2 } },
    files: [
      { name: 'receipt.jws', type: 'application/jose', description: words.files.receipt, text: facts.receipt },
      { name: 'receipt.tlog-proof', type: 'text/plain', description: words.files.proof, text: facts.proof },
    ],
  })
}

function requestText(lines: readonly string[]): string {
  const shown = lines.slice(0, REQUEST_LINES_MAX).join('\n')
  return shorten(lines.length > REQUEST_LINES_MAX ? `${shown}\n…` : shown, REQUEST_LENGTH_MAX)
}

function shorten(text: string, max: number): string {
  const characters = [...text]
  return characters.length <= max
    ? text
    : `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
}

/** Cached, because creating one takes longer than writing the rest of the text. */
const timeFormats = new Map<Language, Intl.DateTimeFormat>()

function timeText(ms: number, language: Language): string {
  const locale = language === 'en' ? 'en-GB' : language
  const options = { dateStyle: 'long', timeStyle: 'medium', timeZone: 'UTC' } as const
  const format = timeFormats.get(language) ?? new Intl.DateTimeFormat(locale, options)
  timeFormats.set(language, format)
  return `${format.format(new Date(ms))} UTC`
}
