// Verifies that a presentation is genuine, is meant for our stored request, and answers our query.

import { hash } from 'node:crypto'
import { answerFormOf, carriesTransaction, requireBinding } from './channels/table.ts'
import { accept, reject, UNANSWERED } from './conclude.ts'
import { CheckLog, type Demand, type Examination, examined, NOTHING } from './examination.ts'
import type { Trust } from './expected.ts'
import type { Expected } from './expected-answer.ts'
import { type Finding, judgeAnswer, settleStatus } from './finding.ts'
import { DeviceDocuments } from './formats/mdoc/device-response.ts'
import { settleProof } from './formats/settle-proof.ts'
import { formatOf } from './formats/table.ts'
import type { Verdict } from './judged-presentation.ts'
import { type Budget, LIMITS, newBudget, OVERSPENT, PRICES, spendHashing, spendRead, spendWork } from './limits.ts'
import { answeringIds, type Presented, readDocuments, readVpToken, type TokenReading } from './openid4vp/match.ts'
import { responseLists } from './status/response-lists.ts'
import { confirmationFault } from './transaction/confirmation.ts'
import type { Json } from './verdict.ts'

/**
 * Judges a vp_token, or the documents of an Annex C answer, against our request and our trust. Hostile input yields a verdict, never an exception.
 *
 * @example
 * const budget = newBudget()
 * const response = readResponse(body, { encryption, state }, budget)
 * if (response.kind === 'presentation') {
 *   const verdict = await verifyPresentation(response.vpToken, expected, trust, budget)
 *   if (verdict.outcome === 'accepted') use(verdict.credentials)
 * }
 */
export async function verifyPresentation(
  answer: Json | DeviceDocuments,
  expected: Expected,
  trust: Trust,
  budget: Budget = newBudget(),
): Promise<Verdict> {
  requireCompleteness(expected)

  // 1. The answer fits our query.
  const token = readPresented(answer, expected)
  if (token.outcome === 'refused') return reject([], { code: 'query_not_satisfied', message: token.detail })

  // 2. Each credential is genuine, was presented to us by its holder, and has the requested claims. OpenID4VP §8.6,
  // §14.1.2: one failure fails the whole answer, even of an optional credential. Later credentials are then only
  // listed.
  const findings: Finding[] = []
  let failure: CheckLog['failure'] = null
  for (const presented of token.presented) {
    const isPaid = spendRead(budget) && spendWork(budget, PRICES.presentation)
    const look = isPaid ? (failure === null ? examine : list) : leave
    const finding = judgeAnswer(look(presented, { expected, trust, budget }), presented, budget)
    findings.push(finding)
    failure ??= finding.log.failure
  }
  if (failure !== null) return reject(findings, failure)

  // OpenID4VP §6.1: with `multiple`, each presentation must be a different credential.
  const repetition = repetitionAmong(findings, budget)
  if (repetition !== null) return reject(findings, repetition)

  // 3. Together, the credentials answer the query. Credentials that do not count are dropped.
  const answered = new Set(findings.map(({ examination }) => examination.queryId))
  const needed = answeringIds(expected.query, answered)
  if (needed === null) return reject(findings, UNANSWERED)
  const isNeeded = ({ examination }: Finding) => needed.has(examination.queryId)
  const answers = expected.alternatives === 'every' ? withinProofs(findings, isNeeded) : findings.filter(isNeeded)

  // 4. One credential of the answer confirmed each item of transaction data.
  const items = expected.transaction ?? []
  const disagreement = confirmationFault(items, { all: examinationsOf(findings), counted: examinationsOf(answers) })
  if (disagreement !== null) return reject(findings, { code: disagreement.code, message: disagreement.detail })
  // 5. Zero-knowledge proofs are valid. Checked late, because this is the most expensive check.
  const proved: Finding[] = []
  for (const finding of answers) proved.push(await settleProof(finding, trust, budget))
  const disproved = proved.find(({ log }) => log.failure !== null)?.log.failure
  if (disproved != null) return reject(proved, disproved)

  // 6. No issuer has revoked the credentials. Checked last, so that a forgery leads to no fetch.
  const lists = responseLists(trust, budget.lists)
  const settled = await Promise.all(proved.map((finding) => settleStatus(finding, { expected, trust, lists })))

  // 7. Every check that the formats require has passed.
  return accept(settled, items)
}

/**
 * Drops proofs of further alternatives if there are more than are checked for one response. A proof that was not checked
 * counts for nothing.
 */
function withinProofs(findings: readonly Finding[], isNeeded: (finding: Finding) => boolean): readonly Finding[] {
  const proofs = findings.filter(({ format }) => formatOf(format).kind === 'proof')
  const further = proofs.filter((proof) => !isNeeded(proof))
  const most = Math.max(0, LIMITS.proofs - (proofs.length - further.length))
  const dropped = new Set(further.slice(most))
  return findings.filter((finding) => !dropped.has(finding))
}

const examinationsOf = (findings: readonly Finding[]) => findings.map(({ examination }) => examination)

/** Reads an answer. The channel determines what it consists of. */
function readPresented(answer: Json | DeviceDocuments, { channel, query }: Expected): TokenReading {
  switch (answerFormOf(channel.kind)) {
    case 'documents':
      if (!(answer instanceof DeviceDocuments)) throw new Error('bug: an answer of another channel')
      return readDocuments(answer, query)
    case 'vp_token':
      if (answer instanceof DeviceDocuments) throw new Error('bug: an answer of another channel')
      return readVpToken(answer, query)
  }
}

const REPEATED = {
  code: 'query_not_satisfied',
  message: 'one credential was presented several times for one query',
} as const

/**
 * Finds a credential that was presented twice, by what its issuer signed. Disclosures and holder signatures may differ
 * between presentations.
 */
function repetitionAmong(findings: readonly Finding[], budget: Budget): CheckLog['failure'] {
  for (const answers of Map.groupBy(findings, ({ examination }) => examination.queryId).values()) {
    const parts = answers.length === 1 ? [] : answers.flatMap(({ examination }) => examination.signedPart ?? [])
    const bytes = parts.reduce((sum, { length }) => sum + length, 0)
    if (!spendHashing(budget, bytes)) return { code: 'credential_invalid', message: OVERSPENT }
    if (new Set(parts.map((part) => hash('sha256', part, 'base64url'))).size < parts.length) return REPEATED
  }
  return null
}

type SharedDemand = Omit<Demand, 'query'>

const examine = ({ query, presentation, format }: Presented, shared: SharedDemand): Examination =>
  formatOf(format).examine(presentation, { query, ...shared })

const list = ({ query, presentation, format }: Presented, shared: SharedDemand): Examination =>
  formatOf(format).list(presentation, { query, ...shared })

/** The budget is used up, so not even the form is read. */
const leave = ({ query }: Presented): Examination => {
  const log = new CheckLog()
  log.fail('well_formed', 'credential_invalid', OVERSPENT)
  return examined(query, NOTHING, log)
}

/** Throws for an empty request, which would accept an empty answer: our bug, not the sender's. */
function requireCompleteness(expected: Expected): void {
  const { nonce, channel, query, now, requestedAt, skewSeconds, transaction = [] } = expected
  if (nonce === '') throw new Error('bug: a request without nonce')
  requireBinding(channel)
  if (transaction.length > 0 && !carriesTransaction(channel.kind))
    throw new Error('bug: the channel cannot carry transaction data')
  if (query.credentials.length === 0) throw new Error('bug: a query that asks for nothing')
  if (![now, requestedAt, skewSeconds].every((time) => Number.isFinite(time) && time >= 0))
    throw new Error('bug: a time is not a number')
}
