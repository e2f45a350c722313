// Starts sign-ins that are never answered, from few and many networks, and reports the merchant's remaining capacity.

import { openWorld } from '../../service/src/assemble.ts'
import { createKey } from '../../service/src/core/tenants/usecases/manage-keys.ts'
import { createTenant } from '../../service/src/core/tenants/usecases/manage-tenants.ts'
import { createClient } from '../../service/src/features/oidc/usecases/manage-clients.ts'
import { readConfig } from '../../service/src/platform/config/config.ts'
import { SCOPES } from '../../wire/values/keys.ts'
import type { AttackOptions, AttackReport } from '../attack-stage/attack.ts'
import { callFrom } from '../attack-stage/call.ts'

export const about =
  "unanswered sign-ins, from few addresses and from many: how much of a merchant's daily quota is left"

const ACTOR = { type: 'system', id: 'attack' } as const
const QUOTA = 100
const CALLBACK = 'https://shop.example/callback'
/** Ten sign-ins from each of five addresses. An earlier release then blocked the client's sign-ins for a day. */
const FROM_FIVE = 50
const FROM_ONE = 80
const HONEST = 10
const ADDRESSES = 60

export async function run({ url, own }: AttackOptions): Promise<AttackReport> {
  if (own === null) throw new Error('this attack needs a service of its own: a merchant with a client is created')
  const { key, authorize } = await merchant(own, url)
  const spared = await merchant(own, url)
  /** Whether the sign-in began. If the client's sign-ins are used up, the answer is also a redirect, but with an error. */
  const begin = async (from: string, path = authorize) => {
    const { status, location } = await callFrom({ url, from, path, headers: { accept: 'text/html' } })
    return status === 303 && location.startsWith('/verify/')
  }
  const count = (begun: readonly boolean[]) => begun.filter(Boolean).length
  const honest = async (third: number, path = authorize) => {
    const begun: boolean[] = []
    for (let at = 0; at < HONEST; at += 1) begun.push(await begin(`127.0.${third}.${at + 1}`, path))
    return `${count(begun)} of ${HONEST}`
  }
  const control = await honest(8, spared.authorize)
  const fromFive: boolean[] = []
  for (let at = 0; at < FROM_FIVE; at += 1) fromFive.push(await begin(`127.0.5.${(at % 5) + 1}`))
  const afterFive = await honest(9)
  const fromOne: boolean[] = []
  for (let at = 0; at < FROM_ONE; at += 1) fromOne.push(await begin('127.0.6.1'))
  const fromMany: boolean[] = []
  for (let at = 0; at < ADDRESSES; at += 1) fromMany.push(await begin(`127.0.7.${at + 1}`))
  const afterMany = await honest(10)
  let created = 0
  for (let at = 0; at < QUOTA; at += 1) {
    const answer = await callFrom({
      url,
      key,
      method: 'POST',
      path: '/v1/verifications',
      body: { template: 'age_over_18' },
    })
    if (answer.status === 201) created += 1
  }
  return {
    'quota of the day': QUOTA,
    'honest sign-ins without an attack': control,
    'from five addresses, not refused': `${count(fromFive)} of ${FROM_FIVE}`,
    'honest sign-ins after these': afterFive,
    'from one address, not refused': `${count(fromOne)} of ${FROM_ONE}`,
    'from many addresses, not refused': `${count(fromMany)} of ${ADDRESSES}`,
    'honest sign-ins after these, too': afterMany,
    'spent of the day by strangers': QUOTA - created,
    "left to the merchant's key": created,
  }
}

async function merchant(own: NonNullable<AttackOptions['own']>, url: string) {
  const config = readConfig({ ...own.env, PORT: new URL(url).port, VIDIMUS_LOG_LEVEL: 'silent' })
  const world = await openWorld(config, () => undefined)
  try {
    const { deps } = world
    const { id: tenantId } = await createTenant(deps, { name: 'Shop', plan: 'free', dailyQuota: QUOTA, actor: ACTOR })
    const realm = { tenantId, environment: 'live' } as const
    const answer = await createKey(deps, { ...realm, name: 'shop', scopes: SCOPES, expiresInDays: null, actor: ACTOR })
    const terms = {
      name: 'Shop',
      redirectUris: [CALLBACK],
      templates: ['age_over_18'],
      defaultTemplate: 'age_over_18',
      subjectMode: 'ephemeral',
      subjectClaims: [],
      requireTrue: false,
      vpData: false,
      claimsInIdToken: false,
      requestUris: [],
      profile: 'openid',
      verifiedClaims: false,
      idTokenAlg: 'ES256',
      rememberMinutes: 0,
      crossDevice: 'confirm',
      jwks: null,
    } as const
    const client = await createClient(deps, { realm, actor: ACTOR, authMethod: 'client_secret', terms })
    if (answer === null || client.outcome !== 'done') throw new Error('bug: no key or no client')
    const parameters = { client_id: client.client.id, redirect_uri: CALLBACK, response_type: 'code', scope: 'openid' }
    const authorize = `/oidc/${tenantId}/live/authorize?${new URLSearchParams(parameters)}`
    return { key: answer.key, authorize }
  } finally {
    await world.close()
  }
}
