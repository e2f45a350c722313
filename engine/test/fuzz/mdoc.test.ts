// Mutates a valid mdoc presentation: nothing throws, and none with other signed content is accepted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { usualItems } from '../../../wallet/mutations/mdoc/mdoc-trial.ts'
import { DAY, handoverFor, MDL_NAMESPACE, NOW } from '../../../wallet/mutations/world.ts'
import { mapOf } from '../../../wallet/src/encoding/cbor.ts'
import { STATUS_INDEX, statusListUri, TYPE } from '../../../wallet/src/issuer.ts'
import { fromBase64url, toBase64url } from '../../../wallet/src/keys.ts'
import {
  deviceAuthentication,
  deviceSignature,
  mintItems,
  securityObject,
  sessionTranscript,
} from '../../../wallet/src/mdoc.ts'
import { drivingLicenceElements, PERSON } from '../../../wallet/src/person.ts'
import { parseTree, writeTree } from './cbor-tree.ts'
import * as mdocMutants from './mdoc-mutants.ts'
import { spoilBytes, spoilText, steps } from './step.ts'
import { conclusion, fuzz, mdoc, original, requireOnlyAsked, where, world } from './subjects.ts'

test('the original is accepted, and the tree writes the bytes that it parsed', () => {
  assert.notEqual(original.mdoc, null)
  const bytes = fromBase64url(mdoc.presented)
  assert.deepEqual(writeTree(parseTree(bytes)), bytes)
})

async function sameMdoc(mutant: string): Promise<void> {
  const verdict = await mdoc.judge(mutant)
  if (verdict.outcome === 'rejected') return
  assert.deepEqual(conclusion(verdict), original.mdoc)
  assert.deepEqual(
    mdocMutants.signedContent(fromBase64url(mutant)),
    mdocMutants.signedContent(fromBase64url(mdoc.presented)),
  )
}

const tree = parseTree(fromBase64url(mdoc.presented))
fuzz(
  'mdoc: spoiled CBOR with the old signatures',
  0.2,
  fc.asyncProperty(steps, (spoils) => sameMdoc(mdocMutants.unsignedMutant(tree, spoils))),
)
fuzz(
  'mdoc: bytes spoiled',
  0.08,
  fc.asyncProperty(steps, (spoils) => sameMdoc(toBase64url(spoils.reduce(spoilBytes, fromBase64url(mdoc.presented))))),
)
fuzz(
  'mdoc: text spoiled',
  0.02,
  fc.asyncProperty(steps, (spoils) => sameMdoc(spoils.reduce(spoilText, mdoc.presented))),
)

fuzz(
  'mdoc: spoiled CBOR, signed again',
  0.12,
  fc.asyncProperty(steps, where, async (spoils, at) => {
    const verdict = await mdoc.judge(mdocMutants.signedMutant(mdocParts, spoils, at))
    if (verdict.outcome === 'accepted') requireOnlyAsked(verdict, [MDL_NAMESPACE])
  }),
)

const mdocParts = freshMdoc()

function freshMdoc(): mdocMutants.MdocParts {
  const items = usualItems(
    mintItems(MDL_NAMESPACE, drivingLicenceElements(PERSON, { issued: '2026-01-01', expires: '2031-01-01', age: 36 })),
  )
  const status = mapOf({
    status_list: mapOf({ idx: STATUS_INDEX.valid, uri: statusListUri(world.issuer.base, 'cwt') }),
  })
  const times = { signed: NOW - DAY, validFrom: NOW - DAY, validUntil: NOW + DAY }
  const mso = securityObject({ docType: TYPE.mdl, items, deviceKey: world.holderKey, ...times, status })
  const authentication = deviceAuthentication(sessionTranscript(handoverFor(mdoc.trial.expectations)), TYPE.mdl)
  return {
    docType: TYPE.mdl,
    items,
    mso,
    deviceAuth: deviceSignature(authentication, world.holderKey),
    signer: world.issuer.mdoc.signer,
  }
}
