// The shape of Wycheproof's files, and one loop over them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readVectors } from './vector-files.ts'

export interface Case {
  readonly tcId: number
  readonly comment: string
  readonly result: 'valid' | 'invalid' | 'acceptable'
  readonly [member: string]: unknown
}

export interface Group {
  readonly comment?: string
  readonly tests: readonly Case[]
  readonly [member: string]: unknown
}

/** Whether we accept a case. A case with a reason in `notApplicable` does not apply to us and must be refused. */
export type Judge = (vector: Case, group: Group) => { readonly accepted: boolean; readonly notApplicable?: string }

/** Runs every case of a file: valid ones are accepted, invalid ones refused; those that do not apply are listed and refused. */
export function runWycheproof(file: string, judge: Judge): void {
  const vectors = readVectors(`wycheproof/${file}_test.json`) as { readonly testGroups: readonly Group[] } | null
  if (vectors === null) return
  test(`Wycheproof ${file}`, (context) => {
    const reasons = new Map<string, string[]>()
    for (const group of vectors.testGroups) {
      for (const vector of group.tests) {
        const { accepted, notApplicable } = judge(vector, group)
        const name = `${vector.tcId} ${group.comment ?? ''} ${vector.comment}`
        if (notApplicable !== undefined) {
          assert.equal(accepted, false, `${name}: does not apply and must be refused`)
          reasons.set(notApplicable, [...(reasons.get(notApplicable) ?? []), name])
        } else {
          assert.equal(accepted, vector.result !== 'invalid', name)
        }
      }
    }
    for (const [reason, names] of reasons) context.diagnostic(`refused, ${reason}: ${names.join('; ')}`)
  })
}
