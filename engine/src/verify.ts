// Is this presentation genuine, is it for us, and does it answer what we asked? The whole argument.
// What was demanded comes from our own stored request; nothing the sender says changes what is checked.

import { accept, reject, UNANSWERED } from './conclude.ts'
import type { Examination } from './examination.ts'
import type { Expected, Trust } from './expected.ts'
import { type Finding, judgeAnswer, settleStatus } from './finding.ts'
import { examineMdoc } from './mdoc/checks.ts'
import { answeringIds, type Presented, readVpToken } from './openid4vp/match.ts'
import { examineSdJwt } from './sdjwt/checks.ts'
import type { Json, Verdict } from './verdict.ts'

/**
 * Judges a vp_token against our request and our trust. Hostile input yields a verdict, never an exception.
 *
 * @example
 * const response = readResponse(body, { encryption, state })
 * if (response.kind === 'presentation') {
 *   const verdict = await verifyPresentation(response.vpToken, expected, trust)
 *   if (verdict.outcome === 'accepted') use(verdict.credentials)
 * }
 */
export async function verifyPresentation(vpToken: Json, expected: Expected, trust: Trust): Promise<Verdict> {
  demandCompleteness(expected)

  // It is a vp_token of our query.
  const token = readVpToken(vpToken, expected.query)
  if (token.outcome === 'refused') return reject([], { code: 'query_not_satisfied', message: token.detail })

  // Every credential in it is genuine, presented by its holder to us, and gives what was asked of it.
  // OpenID4VP §8.6, §14.1.2: one that fails fails the whole, also where it was optional.
  const findings = token.presented.map((presented) => {
    const examination = examine(presented, expected, trust)
    return judgeAnswer(examination, presented.query)
  })
  const failed = findings.find(({ log }) => log.failure !== null)
  if (failed?.log.failure) return reject(findings, failed.log.failure)

  // OpenID4VP §6.1: where several were asked for, each is a credential of its own.
  if (hasRepeated(findings)) return reject(findings, REPEATED)

  // Together they answer the query; what belongs to no option that counts is dropped.
  const answered = new Set(findings.map(({ examination }) => examination.queryId))
  const counted = answeringIds(expected.query, answered, expected.alternatives ?? 'first')
  if (counted === null) return reject(findings, UNANSWERED)
  const answers = findings.filter(({ examination }) => counted.has(examination.queryId))

  // Their issuers have not taken them back. The network comes last: nobody is asked about a forgery.
  const settled = await Promise.all(answers.map((finding) => settleStatus(finding, expected, trust)))

  // Accepted if every check that the formats require was made and passed.
  return accept(settled)
}

const REPEATED = {
  code: 'query_not_satisfied',
  message: 'one credential was presented several times for one query',
} as const

/** By what the issuer signed: disclosures, holder's signature and even the issuer's signature can be made to differ. */
function hasRepeated(findings: readonly Finding[]): boolean {
  return findings.some(({ examination: { queryId, signedPart } }, index) =>
    findings.slice(0, index).some(({ examination: earlier }) => {
      if (earlier.queryId !== queryId || earlier.signedPart === null || signedPart === null) return false
      return Buffer.compare(earlier.signedPart, signedPart) === 0
    }),
  )
}

function examine({ query, presentation }: Presented, expected: Expected, trust: Trust): Examination {
  switch (query.format) {
    case 'dc+sd-jwt':
      return examineSdJwt(presentation, { query, expected, trust })
    case 'mso_mdoc':
      return examineMdoc(presentation, { query, expected, trust })
  }
}

/** An empty demand would be met by an empty answer: that is our fault, not the sender's. */
function demandCompleteness({ nonce, clientId, responseUri, query, now, requestedAt, skewSeconds }: Expected): void {
  if (nonce === '' || clientId === '' || responseUri === '')
    throw new Error('bug: a request without nonce, client_id or response_uri')
  if (query.credentials.length === 0) throw new Error('bug: a query that asks for nothing')
  if (![now, requestedAt, skewSeconds].every((time) => Number.isFinite(time) && time >= 0))
    throw new Error('bug: a time that is no time')
}
