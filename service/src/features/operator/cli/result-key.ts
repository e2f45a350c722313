// Commands for result keys: `vidimus result-key add | challenge | prove | list | remove`.

import type { Command } from 'commander'
import { type CliWorld, inRealm, OPERATOR, type RealmOptions, readBytes, realmOf } from '../../../cli/world.ts'
import {
  RESULT_KEYS_PER_REALM_MAX,
  type ResultKey,
  type ResultKeyProblem,
} from '../../../core/result-keys/domain/result-key.ts'
import {
  addResultKey,
  challengeResultKey,
  type KeyProof,
  proveResultKey,
  readResultKeys,
  removeResultKey,
} from '../../../core/result-keys/usecases/manage-result-keys.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { answer, CliProblem, table } from '../../../platform/cli/print.ts'

export function addResultKeyCommands(program: Command, world: CliWorld): void {
  const resultKey = program
    .command('result-key')
    .description("a tenant's own keys that its results are encrypted to: add, challenge, prove, list, remove")
  inRealm(resultKey.command('add'))
    .description('add a public key; it is used once it is proven')
    .argument('<path>', 'its JWK: P-256, "use": "enc", "alg": "ECDH-ES", without private members')
    .action(async (path: string, options: RealmOptions, command: Command) => {
      const realm = realmOf(options)
      const jwk = Buffer.from(await readBytes(path)).toString('utf8')
      const added = await world.withDeps((deps) => addResultKey(deps, { realm, jwk, actor: OPERATOR }))
      if (added.outcome === 'refused') throw new CliProblem(`not added: ${WHY_NOT[added.problem]}`)
      const { key, challenge } = added
      const text = `Added ${key.id}. ${howToProve(realm, key.id, challenge)}`
      answer(world, command, { json: { ...toJson(key), challenge }, text })
    })
  inRealm(resultKey.command('challenge'))
    .description('create a new challenge for an unproven key; the previous one becomes invalid')
    .argument('<id>', 'id of the key')
    .action(async (id: string, options: RealmOptions, command: Command) => {
      const realm = realmOf(options)
      const challenged = await world.withDeps((deps) => challengeResultKey(deps, { realm, id }))
      if (challenged.outcome === 'not_found') throw new CliProblem(UNPROVEN.not_found)
      if (challenged.outcome === 'proven') throw new CliProblem('this key is proven already', 1)
      const { challenge } = challenged
      answer(world, command, { json: { id, challenge }, text: howToProve(realm, id, challenge) })
    })
  inRealm(resultKey.command('prove'))
    .description('prove a key with the decrypted challenge; results are encrypted to it from then on')
    .argument('<id>', 'id of the key')
    .argument('<answer>', 'the decrypted challenge')
    .action(async (id: string, decrypted: string, options: RealmOptions, command: Command) => {
      const input = { realm: realmOf(options), id, answer: decrypted, actor: OPERATOR }
      const proof = await world.withDeps((deps) => proveResultKey(deps, input))
      if (proof !== 'proven') throw new CliProblem(UNPROVEN[proof], 1)
      answer(world, command, { json: { proven: id }, text: 'Proven: results are encrypted to it from now on.' })
    })
  inRealm(resultKey.command('list'))
    .description('list the keys, newest first')
    .action(async (options: RealmOptions, command: Command) => {
      const keys = await world.withDeps((deps) => readResultKeys(deps, realmOf(options)))
      const rows = keys.map((one) => [one.id, one.kid, one.provenAt ?? 'not proven', one.createdAt])
      const text =
        rows.length === 0
          ? 'There is no key: results are sealed at rest, not encrypted to the merchant.'
          : table(['ID', 'KID', 'PROVEN', 'CREATED'], rows)
      answer(world, command, { json: { data: keys.map(toJson) }, text })
    })
  inRealm(resultKey.command('remove'))
    .description('stop encrypting to a key; without another key, the service can read results again')
    .argument('<id>', 'id of the key')
    .action(async (id: string, options: RealmOptions, command: Command) => {
      const input = { realm: realmOf(options), id, actor: OPERATOR }
      if (!(await world.withDeps((deps) => removeResultKey(deps, input)))) throw new CliProblem(UNPROVEN.not_found)
      answer(world, command, { json: { removed: id }, text: `Removed ${id}.` })
    })
}

const howToProve = (realm: Realm, id: string, challenge: string) =>
  `The owner decrypts this challenge with the private key (openChallenge of the SDK) within an hour:\n\n  ${challenge}\n\nthen: vidimus result-key prove ${id} <answer> --tenant ${realm.tenantId} --environment ${realm.environment}`

const UNPROVEN: Readonly<Record<Exclude<KeyProof, 'proven'>, string>> = {
  wrong: 'the answer does not match the challenge, so the key is not proven',
  lapsed: 'the challenge has expired: create a new one with `vidimus result-key challenge`',
  not_found: 'there is no such key of this tenant in this environment',
}

const WHY_NOT: Readonly<Record<ResultKeyProblem, string>> = {
  not_a_jwk: 'the file must have one JWK, a JSON object',
  private_key: 'the file has a private or symmetric key: use the public key instead',
  not_p256: 'the key must be "kty": "EC" on "crv": "P-256"',
  not_for_encryption: 'the key must say "use": "enc" and "alg": "ECDH-ES"',
  unknown_member: 'the key may have kty, crv, x, y, use, alg and kid, nothing else',
  not_on_curve: 'x and y are not a point of P-256',
  there_already: 'this key exists already',
  too_many: `${RESULT_KEYS_PER_REALM_MAX} keys exist already; remove one first`,
  no_tenant: 'there is no such tenant',
}

function toJson({ id, kid, createdAt, provenAt }: ResultKey) {
  return { id, kid, created_at: createdAt, proven_at: provenAt }
}
