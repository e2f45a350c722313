// Mutates status lists: none makes a revoked credential valid.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { mdocTrial } from '../../../wallet/mutations/mdoc/mdoc-trial.ts'
import { sdJwtTrial } from '../../../wallet/mutations/sd-jwt/sd-jwt-trial.ts'
import { fetched, NOW, type Trial } from '../../../wallet/mutations/world.ts'
import { mapOf } from '../../../wallet/src/encoding/cbor.ts'
import { STATUS_INDEX, statusListCwt, statusListJwt, statusListUri } from '../../../wallet/src/issuer.ts'
import { judgeTrial } from '../trial.ts'
import { parseTree, spoilTree, writeTree } from './cbor-tree.ts'
import { spoilText, steps } from './step.ts'
import { fuzz, world } from './subjects.ts'

const revokedJwt = sdJwtTrial(world, {
  template: (claims) => ({
    ...claims,
    status: { status_list: { idx: STATUS_INDEX.revoked, uri: statusListUri(world.issuer.base, 'jwt') } },
  }),
})
const revokedMdoc = mdocTrial(world, {
  fields: (fields) => ({
    ...fields,
    status: mapOf({ status_list: mapOf({ idx: STATUS_INDEX.revoked, uri: statusListUri(world.issuer.base, 'cwt') }) }),
  }),
})

fuzz(
  'status: no spoiled list makes a revoked SD-JWT valid',
  0.01,
  fc.asyncProperty(steps, async (spoils) => {
    const list = spoils.reduce(spoilText, statusJwt)
    const status = new Map([
      ...revokedJwt.status,
      [statusListUri(world.issuer.base, 'jwt'), fetched(Buffer.from(list), 'application/statuslist+jwt')],
    ])
    await requireRejected({ ...revokedJwt, status })
  }),
)

fuzz(
  'status: no spoiled list makes a revoked mdoc valid',
  0.01,
  fc.asyncProperty(steps, async (spoils) => {
    const list = writeTree(spoilTree(statusTree, spoils))
    const status = new Map([
      ...revokedMdoc.status,
      [statusListUri(world.issuer.base, 'cwt'), fetched(list, 'application/statuslist+cwt')],
    ])
    await requireRejected({ ...revokedMdoc, status })
  }),
)

const statusJwt = statusListJwt(world.issuer, NOW)
const statusTree = parseTree(statusListCwt(world.issuer, NOW))

async function requireRejected(trial: Trial): Promise<void> {
  const outcome = await judgeTrial(trial)
  assert.equal(outcome.kind === 'verdict' && outcome.verdict.outcome, 'rejected')
}
