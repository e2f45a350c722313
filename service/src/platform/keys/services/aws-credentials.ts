// Loads AWS credentials in the order of AWS's own tools: environment, web identity, container, machine.

import type { AwsSettings } from '../../config/key-settings.ts'
import { KeyFailure } from '../key-provider.ts'
import type { Loaded } from './credentials.ts'
import { type CallService, failureOf, type Json, readSecret, type ServiceAnswer, textOf } from './key-service.ts'

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

interface Needs {
  readonly settings: AwsSettings
  readonly call: CallService
  /** For STS. */
  readonly region: string
}

const CONTAINER_HOST = 'http://169.254.170.2'
const SESSION_SECONDS = '21600'

export async function loadAwsCredentials(needs: Needs): Promise<Loaded<AwsCredentials>> {
  const { settings } = needs
  const { accessKeyId, secretAccessKey, sessionToken } = settings
  if (accessKeyId !== null && secretAccessKey !== null)
    return {
      value: { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) },
      lifetimeMs: Number.POSITIVE_INFINITY,
    }
  if (settings.webIdentityTokenFile !== null && settings.roleArn !== null) return assumeRole(needs)
  if (settings.containerUri !== null || settings.containerPath !== null) return askContainer(needs)
  return askMachine(needs)
}

/** AssumeRoleWithWebIdentity answers with XML. Its values are base64, names and dates, so they need no unescaping. */
async function assumeRole({ settings, call, region }: Needs): Promise<Loaded<AwsCredentials>> {
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: settings.roleArn ?? '',
    RoleSessionName: 'vidimus',
    WebIdentityToken: await readSecret(settings.webIdentityTokenFile ?? '', 'AWS_WEB_IDENTITY_TOKEN_FILE'),
  })
  const url = `${settings.stsUrl ?? `https://sts.${region}.${domainOf(region)}`}/`
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/xml' }
  const { status, text } = await call({ method: 'POST', url, headers, body: form.toString() })
  const element = (name: string) => new RegExp(`<${name}>([^<]{1,8192})</${name}>`).exec(text)?.[1]
  if (status !== 200) throw failureOf({ service: 'AWS STS', status, code: element('Code') ?? '' })
  return readTemporary({
    AccessKeyId: element('AccessKeyId'),
    SecretAccessKey: element('SecretAccessKey'),
    Token: element('SessionToken'),
    Expiration: element('Expiration'),
  })
}

async function askContainer({ settings, call }: Needs): Promise<Loaded<AwsCredentials>> {
  const { containerUri, containerPath, containerTokenFile } = settings
  const token =
    containerTokenFile === null ? null : await readSecret(containerTokenFile, 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE')
  const answer = await call({
    method: 'GET',
    url: containerUri ?? `${CONTAINER_HOST}${containerPath ?? ''}`,
    headers: token === null ? {} : { Authorization: token },
  })
  return readTemporary(requireOk(answer).json)
}

/** IMDSv2 requires a session first, so that a forged request gets no credentials. */
async function askMachine({ settings, call }: Needs): Promise<Loaded<AwsCredentials>> {
  const base = settings.metadataUrl.replace(/\/$/, '')
  const session = await call({
    method: 'PUT',
    url: `${base}/latest/api/token`,
    headers: { 'X-aws-ec2-metadata-token-ttl-seconds': SESSION_SECONDS },
  })
  const headers = { 'X-aws-ec2-metadata-token': requireOk(session).text.trim() }
  const roles = `${base}/latest/meta-data/iam/security-credentials/`
  const [role = ''] = requireOk(await call({ method: 'GET', url: roles, headers }))
    .text.trim()
    .split('\n')
  if (!/^[\w+=,.@-]{1,64}$/.test(role)) throw new KeyFailure('refused', 'this machine has no role in AWS')
  return readTemporary(requireOk(await call({ method: 'GET', url: `${roles}${role}`, headers })).json)
}

function requireOk(answer: ServiceAnswer): ServiceAnswer {
  if (answer.status === 200) return answer
  throw failureOf({ service: 'the metadata service of AWS', status: answer.status })
}

function readTemporary(json: Json): Loaded<AwsCredentials> {
  const [accessKeyId, secretAccessKey, sessionToken] = ['AccessKeyId', 'SecretAccessKey', 'Token'].map((name) =>
    textOf(json[name]),
  )
  const endsAt = Date.parse(textOf(json.Expiration))
  if (!accessKeyId || !secretAccessKey || !sessionToken || Number.isNaN(endsAt))
    throw new KeyFailure('refused', 'AWS returned incomplete credentials')
  return { value: { accessKeyId, secretAccessKey, sessionToken }, lifetimeMs: endsAt - Date.now() }
}

export const domainOf = (region: string) => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com')
