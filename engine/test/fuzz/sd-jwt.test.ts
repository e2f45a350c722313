// Mutates a valid SD-JWT presentation: nothing throws, and none with other signed content is accepted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as sdJwtMutants from './sd-jwt-mutants.ts'
import { spoilText, steps } from './step.ts'
import { conclusion, fuzz, original, requireOnlyAsked, sdJwt, where, world } from './subjects.ts'

test('the original is accepted', () => assert.notEqual(original.sdJwt, null))

async function sameSdJwt(mutant: string): Promise<void> {
  const verdict = await sdJwt.judge(mutant)
  if (verdict.outcome === 'rejected') return
  assert.deepEqual(conclusion(verdict), original.sdJwt)
  assert.equal(withoutSignatures(mutant), withoutSignatures(sdJwt.presented))
}

function withoutSignatures(presented: string): string {
  return presented
    .split('~')
    .map((part) => part.split('.').slice(0, 2).join('.'))
    .join('~')
}

const parts = sdJwtMutants.takeApart(sdJwt.presented)
fuzz(
  'SD-JWT: spoiled JSON with the old signatures',
  0.2,
  fc.asyncProperty(steps, where, (spoils, at) => sameSdJwt(sdJwtMutants.unsignedMutant(parts, spoils, at))),
)
fuzz(
  'SD-JWT: text spoiled',
  0.1,
  fc.asyncProperty(steps, (spoils) => sameSdJwt(spoils.reduce(spoilText, sdJwt.presented))),
)

const keys = { issuer: world.issuer.sdJwt.signer.key, holder: world.holderKey }
fuzz(
  'SD-JWT: JSON spoiled and re-signed',
  0.15,
  fc.asyncProperty(steps, where, async (spoils, at) => {
    const verdict = await sdJwt.judge(sdJwtMutants.signedMutant(parts, spoils, { ...keys, where: at }))
    if (verdict.outcome === 'accepted')
      requireOnlyAsked(verdict, [
        'family_name',
        'given_name',
        'birthdate',
        'address',
        'nationalities',
        'age_equal_or_over',
      ])
  }),
)
