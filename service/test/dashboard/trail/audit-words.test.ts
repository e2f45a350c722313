// Tests that every audit action, kind and actor has words in each language of the dashboard.

import assert from 'node:assert/strict'
import test from 'node:test'
import { auditWords } from '../../../../dashboard/src/words/audit.ts'
import { ACTOR_TYPES, AUDIT_ACTIONS, AUDIT_KINDS } from '../../../src/core/ports/audit.ts'

for (const [language, words] of Object.entries(auditWords)) {
  test(`the audit page has words for every possible entry (${language})`, () => {
    assert.deepEqual(Object.keys(words.actions).sort(), [...AUDIT_ACTIONS].sort())
    assert.deepEqual(Object.keys(words.kinds).sort(), [...AUDIT_KINDS].sort())
    assert.deepEqual(Object.keys(words.actors).sort(), [...ACTOR_TYPES].sort())
  })
}
