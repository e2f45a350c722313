// Gets tokens for Google Cloud: with the key of a service account, or from the metadata server.

import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { GoogleSettings } from '../../config/key-settings.ts'
import { KeyFailure } from '../key-provider.ts'
import type { Loaded } from './credentials.ts'
import { type CallService, failureOf, objectOf, type ServiceAnswer, textOf } from './key-service.ts'

interface Needs {
  readonly settings: GoogleSettings
  readonly call: CallService
}

const SCOPE = 'https://www.googleapis.com/auth/cloudkms'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const TOKEN_URL = 'https://oauth2.googleapis.com/token'
const METADATA_PATH = '/computeMetadata/v1/instance/service-accounts/default/token'

export function loadGoogleToken(needs: Needs): Promise<Loaded<string>> {
  const { credentialsFile } = needs.settings
  return credentialsFile === null ? askMetadata(needs) : askAsAccount(needs, credentialsFile)
}

async function askMetadata({ settings, call }: Needs): Promise<Loaded<string>> {
  const url = `http://${settings.metadataHost}${METADATA_PATH}`
  return readToken(await call({ method: 'GET', url, headers: { 'Metadata-Flavor': 'Google' } }), 'the metadata server')
}

/** RFC 7523 §2.1. */
async function askAsAccount({ call }: Needs, path: string): Promise<Loaded<string>> {
  const { email, keyId, privateKey, tokenUrl } = await readAccount(path)
  const seconds = Math.floor(Date.now() / 1000)
  const encode = (part: object) => Buffer.from(JSON.stringify(part), 'utf8').toString('base64url')
  const head = encode({ alg: 'RS256', typ: 'JWT', kid: keyId })
  const signed = `${head}.${encode({ iss: email, scope: SCOPE, aud: tokenUrl, iat: seconds, exp: seconds + 3600 })}`
  const signature = sign('sha256', Buffer.from(signed, 'utf8'), privateKey).toString('base64url')
  const answer = await call({
    method: 'POST',
    url: tokenUrl,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: GRANT, assertion: `${signed}.${signature}` }).toString(),
  })
  return readToken(answer, 'Google')
}

interface Account {
  readonly email: string
  readonly keyId: string
  readonly privateKey: KeyObject
  readonly tokenUrl: string
}

async function readAccount(path: string): Promise<Account> {
  try {
    const json = objectOf(JSON.parse(await readFile(path, 'utf8'))) ?? {}
    const email = textOf(json.client_email)
    if (json.type === 'service_account' && email !== '')
      return {
        email,
        keyId: textOf(json.private_key_id),
        privateKey: createPrivateKey(textOf(json.private_key)),
        tokenUrl: textOf(json.token_uri) || TOKEN_URL,
      }
  } catch {
    // Reported below without the cause, whose message may contain a secret.
  }
  throw new KeyFailure(
    'refused',
    'the file that GOOGLE_APPLICATION_CREDENTIALS names is not the key of a service account',
  )
}

function readToken({ status, json }: ServiceAnswer, service: string): Loaded<string> {
  if (status !== 200) throw failureOf({ service, status, code: textOf(json.error) })
  const value = textOf(json.access_token)
  const seconds = Number(json.expires_in)
  if (value === '' || !(seconds > 0)) throw new KeyFailure('away', `the answer of ${service} has no token`)
  return { value, lifetimeMs: 1000 * seconds }
}
