// Tests the verdict of a till: yes or no, from a template's outputs.

import assert from 'node:assert/strict'
import test from 'node:test'
import { verdictOf } from '../../src/core/verifications/domain/verdict.ts'

test("a template's verdict is no if any of its outputs is false", () => {
  assert.equal(verdictOf({ age_over_18: false }), 'no')
  assert.equal(verdictOf({ ages: { 16: true, 18: false } }), 'no')
  assert.equal(verdictOf({ list: [{ valid: false }] }), 'no')
  assert.equal(verdictOf({ name: 'Vida', ages: { 18: true }, none: null, zero: 0, empty: '' }), 'yes')
})
