// Presents an mdoc of these tests and returns which checks failed.

import assert from 'node:assert/strict'
import type { Examination } from '../../src/examination.ts'
import type { Trust } from '../../src/expected.ts'
import type { Expected } from '../../src/expected-answer.ts'
import { examineMdoc } from '../../src/formats/mdoc/checks.ts'
import { newBudget } from '../../src/limits.ts'
import type { CheckName, RejectionCode } from '../../src/verdict.ts'
import { expected, type MdocPlan, mintMdoc, query, trust } from './mint-mdoc.ts'

export interface Situation {
  readonly expected?: Partial<Expected>
  readonly trust?: Partial<Trust>
  readonly docType?: string
}

export function examine(presented: string, situation: Situation = {}): Examination {
  return examineMdoc(presented, {
    query: { ...query, meta: { doctype_value: situation.docType ?? query.meta.doctype_value } },
    expected: { ...expected, ...situation.expected },
    trust: { ...trust, ...situation.trust },
    budget: newBudget(),
  })
}

/** Asserts that every check passes, with the claims. */
export function accepts(plan: MdocPlan, situation: Situation = {}): Examination {
  const examination = examine(mintMdoc(plan), situation)
  assert.deepEqual(failures(examination), [])
  assert.notEqual(examination.claims, null)
  return examination
}

/** Asserts that exactly this check fails, with this meaning, and that there are no claims. */
export function rejects(
  plan: MdocPlan | string,
  check: CheckName,
  code: RejectionCode,
  situation: Situation = {},
): void {
  const examination = examine(typeof plan === 'string' ? plan : mintMdoc(plan), situation)
  assert.deepEqual(failures(examination), [check])
  assert.equal(examination.failure?.code, code)
  assert.equal(examination.claims, null)
}

function failures(examination: Examination): readonly CheckName[] {
  return examination.checks.filter(({ status }) => status !== 'pass').map(({ check }) => check)
}
