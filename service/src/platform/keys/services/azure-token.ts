// Gets tokens for Azure Key Vault: with a client secret, a pod's federated token, or a managed identity.

import type { AzureSettings } from '../../config/key-settings.ts'
import { KeyFailure } from '../key-provider.ts'
import type { Loaded } from './credentials.ts'
import { type CallService, failureOf, readSecret, type ServiceAnswer, textOf } from './key-service.ts'

interface Needs {
  readonly settings: AzureSettings
  readonly call: CallService
  /** What the token is for, such as `https://vault.azure.net`. */
  readonly resource: string
}

const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

export function loadAzureToken(needs: Needs): Promise<Loaded<string>> {
  const { tenantId, clientId, clientSecret, federatedTokenFile } = needs.settings
  const isApplication = tenantId !== null && clientId !== null && (clientSecret ?? federatedTokenFile) !== null
  return isApplication ? askAuthority(needs, { tenantId, clientId }) : askIdentity(needs)
}

/** Client credentials (RFC 6749 §4.4), with a secret or an assertion (RFC 7523 §2.2). */
async function askAuthority(
  { settings, call, resource }: Needs,
  { tenantId, clientId }: { readonly tenantId: string; readonly clientId: string },
): Promise<Loaded<string>> {
  const { clientSecret, federatedTokenFile, authorityUrl } = settings
  if (!/^[A-Za-z0-9.-]{1,128}$/.test(tenantId)) throw new KeyFailure('refused', 'AZURE_TENANT_ID is not a directory')
  const proof: Record<string, string> =
    clientSecret !== null
      ? { client_secret: clientSecret }
      : {
          client_assertion_type: ASSERTION,
          client_assertion: await readSecret(federatedTokenFile ?? '', 'AZURE_FEDERATED_TOKEN_FILE'),
        }
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    scope: `${resource}/.default`,
    ...proof,
  })
  const answer = await call({
    method: 'POST',
    url: `${authorityUrl.replace(/\/$/, '')}/${tenantId}/oauth2/v2.0/token`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  })
  return readToken(answer, 'Microsoft Entra')
}

/** Uses the managed identity of App Service or Container Apps, otherwise the identity of the machine. */
async function askIdentity({ settings, call, resource }: Needs): Promise<Loaded<string>> {
  const { identityUrl, identityHeader, metadataUrl, clientId } = settings
  const isHosted = identityUrl !== null && identityHeader !== null
  const query = new URLSearchParams({
    'api-version': isHosted ? '2019-08-01' : '2018-02-01',
    resource,
    ...(clientId === null ? {} : { client_id: clientId }),
  })
  const base = isHosted ? identityUrl : `${metadataUrl.replace(/\/$/, '')}/metadata/identity/oauth2/token`
  const answer = await call({
    method: 'GET',
    url: `${base}?${query}`,
    headers: isHosted ? { 'X-IDENTITY-HEADER': identityHeader } : { Metadata: 'true' },
  })
  return readToken(answer, 'the managed identity of Azure')
}

/** Answers have `expires_in`; some managed identities have only `expires_on`, in seconds since 1970. */
function readToken({ status, json }: ServiceAnswer, service: string): Loaded<string> {
  if (status !== 200) throw failureOf({ service, status, code: textOf(json.error) })
  const value = textOf(json.access_token)
  const seconds = json.expires_in === undefined ? Number(json.expires_on) - Date.now() / 1000 : Number(json.expires_in)
  if (value === '' || !(seconds > 0)) throw new KeyFailure('away', `the answer of ${service} has no token`)
  return { value, lifetimeMs: 1000 * seconds }
}
