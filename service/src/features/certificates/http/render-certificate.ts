// Renders a certificate in a language.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import encodeQR from 'qr'
import { answerLabel, type Labels, type Language } from '../../../../../labels/catalogue.ts'
import { lineText, sayQuestion } from '../../../../../labels/say-question.ts'
import { LABELS } from '../../pages/index.ts'
import { drawCertificate } from '../domain/certificate.ts'
import { type Font, readFont } from '../domain/pdf/font.ts'
import { RECEIPT_PAGE, receiptAddress } from '../domain/receipt-address.ts'
import type { CertifiedVerification } from '../usecases/read-certificate.ts'

export async function renderCertificate(
  certified: CertifiedVerification,
  { baseUrl, language }: { readonly baseUrl: string; readonly language: Language },
): Promise<{ readonly pdf: string; readonly name: string }> {
  const { jws, receipt, proof, log, merchant } = certified
  const labels = LABELS[language]
  const pdf = drawCertificate(
    {
      language,
      merchant,
      isTest: receipt.env !== 'live',
      verdict: receipt.verdict,
      reason: receipt.code === undefined ? null : (labels.reasons[receipt.code] ?? receipt.code),
      request: requestLines(certified, { labels, language }),
      endedAtMs: receipt.iat * 1000,
      verificationId: receipt.jti,
      issuer: receipt.iss,
      log,
      receiptHash: createHash('sha256').update(jws).digest('base64url'),
      receipt: jws,
      proof,
      page: `${baseUrl}${RECEIPT_PAGE}`,
      qr: encodeQR(receiptAddress(baseUrl, jws, log), 'raw', { ecc: 'low', border: 1 }),
    },
    await loadFonts(),
  )
  return { pdf, name: `certificate-${receipt.jti}.pdf` }
}

/**
 * Returns the outputs of the template, or the requested claims. After erasure: the title of a built-in template,
 * otherwise null.
 */
function requestLines(
  { request: question, receipt }: CertifiedVerification,
  speaker: { readonly labels: Labels; readonly language: Language },
): readonly string[] | null {
  const { labels } = speaker
  if (question === null) {
    const title = receipt.asked.template === undefined ? undefined : labels.templates[receipt.asked.template]?.title
    return title === undefined ? null : [title]
  }
  if (question.outputs !== null) return question.outputs.map((name) => answerLabel(labels, name))
  return sayQuestion(question.question, speaker).flatMap(({ heading, lines }) => [
    ...(heading === null ? [] : [heading]),
    ...lines.map(lineText),
  ])
}

let fonts: Promise<Readonly<Record<'F1' | 'F2', Font>>> | undefined

/** Loaded with the first certificate, because most processes create none. */
function loadFonts(): Promise<Readonly<Record<'F1' | 'F2', Font>>> {
  const load = async (name: string, file: string) =>
    readFont(name, await readFile(join(import.meta.dirname, '..', 'fonts', file)))
  fonts ??= Promise.all([
    load('NotoSans-Regular', 'noto-sans-regular.ttf'),
    load('NotoSans-SemiBold', 'noto-sans-semibold.ttf'),
  ]).then(([F1, F2]) => ({ F1, F2 }))
  return fonts
}
