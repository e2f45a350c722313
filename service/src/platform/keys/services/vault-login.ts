// Signs in to Vault or OpenBao, and renews the token.

import type { VaultSettings } from '../../config/key-settings.ts'
import { KeyFailure } from '../key-provider.ts'
import { type Credentials, createCredentials, type Loaded } from './credentials.ts'
import {
  type CallService,
  failureOf,
  type Json,
  objectOf,
  readSecret,
  type ServiceAnswer,
  textOf,
} from './key-service.ts'

export interface VaultToken {
  readonly token: string
  readonly isRenewable: boolean
  readonly leaseSeconds: number
}

interface Needs {
  readonly settings: VaultSettings
  readonly call: CallService
}

/** A secret id may allow only one login, so the token is renewed for as long as Vault permits. */
export function vaultCredentials(needs: Needs): Credentials<VaultToken> {
  const load = async (previous: VaultToken | null): Promise<Loaded<VaultToken>> => {
    const renewed = previous?.isRenewable === true ? await renewToken(needs, previous) : null
    // Near the end of the token's maximum lifetime, Vault renews it for a shorter time.
    const isGood = renewed !== null && 2 * renewed.leaseSeconds >= (previous?.leaseSeconds ?? 0)
    if (isGood) return loadedOf(renewed)
    try {
      return loadedOf(await signIn(needs))
    } catch (error) {
      if (renewed === null) throw error
      return loadedOf(renewed)
    }
  }
  return createCredentials(load, { isKeptAlive: true })
}

const loadedOf = (value: VaultToken): Loaded<VaultToken> => ({
  value,
  lifetimeMs: value.leaseSeconds === 0 ? Number.POSITIVE_INFINITY : value.leaseSeconds * 1000,
})

async function signIn(needs: Needs): Promise<VaultToken> {
  const { login } = needs.settings
  if (login.by === 'token') return lookUp(needs, await readSecret(login.tokenFile, 'VIDIMUS_VAULT_TOKEN_FILE'))
  const body =
    login.by === 'approle'
      ? { role_id: login.roleId, secret_id: await readSecret(login.secretIdFile, 'VIDIMUS_VAULT_SECRET_ID_FILE') }
      : { role: login.role, jwt: await readSecret(login.tokenFile, 'VIDIMUS_VAULT_KUBERNETES_TOKEN_FILE') }
  return readAuth(await askVault(needs, { path: `auth/${login.path}/login`, body }))
}

async function lookUp(needs: Needs, token: string): Promise<VaultToken> {
  const answer = await askVault(needs, { path: 'auth/token/lookup-self', token })
  const { ttl, renewable } = objectOf(requireOk(answer).data) ?? {}
  if (typeof ttl !== 'number') throw new KeyFailure('away', 'Vault returned no data about its token')
  return { token, isRenewable: renewable === true, leaseSeconds: ttl }
}

/** null: Vault no longer renews the token. */
async function renewToken(needs: Needs, { token }: VaultToken): Promise<VaultToken | null> {
  const answer = await askVault(needs, { path: 'auth/token/renew-self', token, body: {} })
  return answer.status === 200 ? readAuth(answer) : null
}

function readAuth(answer: ServiceAnswer): VaultToken {
  const { client_token: clientToken, renewable, lease_duration: seconds } = objectOf(requireOk(answer).auth) ?? {}
  const token = textOf(clientToken)
  if (token === '' || typeof seconds !== 'number') throw new KeyFailure('away', 'the answer of Vault has no token')
  return { token, isRenewable: renewable === true, leaseSeconds: seconds }
}

function requireOk({ status, json }: ServiceAnswer): Json {
  if (status === 200) return json
  throw failureOf({ service: 'Vault (sign-in)', status })
}

export interface VaultCall {
  readonly path: string
  /** Without a body the call is a GET. */
  readonly body?: object
  readonly token?: string
  readonly isQuick?: boolean
}

export function askVault({ settings, call }: Needs, { path, body, token, isQuick }: VaultCall): Promise<ServiceAnswer> {
  const { url, namespace } = settings
  return call({
    method: body === undefined ? 'GET' : 'POST',
    url: `${url}/v1/${path}`,
    headers: {
      'X-Vault-Request': 'true',
      ...(token === undefined ? {} : { 'X-Vault-Token': token }),
      ...(namespace === null ? {} : { 'X-Vault-Namespace': namespace }),
    },
    ...(body === undefined ? {} : { body }),
    isQuick: isQuick === true,
  })
}
