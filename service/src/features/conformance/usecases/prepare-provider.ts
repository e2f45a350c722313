// Prepares a plan for the OpenID provider: a tenant, its clients, and the suite's configuration for them.

import { generateKeyPairSync } from 'node:crypto'
import type { AuditActor } from '../../../core/ports/audit.ts'
import { createTenant } from '../../../core/tenants/usecases/manage-tenants.ts'
import type { Deps } from '../../../deps.ts'
import { type ClientTerms, createClient, issuerOf, STANDARD_TERMS } from '../../oidc/index.ts'
import { errorPageBrowser, signInBrowser } from '../domain/browser.ts'
import type { ProviderPlan } from '../domain/plans.ts'
import { type Prepared, QUOTA, type SuiteAddress } from '../domain/prepared.ts'

type Needs = Parameters<typeof createClient>[0] & Parameters<typeof createTenant>[0] & Pick<Deps, 'config'>

/** The claims that make `sub` the same at each sign-in, which modules with two sign-ins compare. */
const SUBJECT_CLAIMS = ['given_name', 'family_name', 'birth_date']

export async function prepareProviderPlan(
  deps: Needs,
  input: { readonly plan: ProviderPlan; readonly suite: SuiteAddress; readonly actor: AuditActor },
): Promise<Prepared> {
  const { plan, suite, actor } = input
  const tenant = await createTenant(deps, {
    name: `Conformance ${suite.alias}`,
    plan: 'free',
    dailyQuota: QUOTA,
    actor,
  })
  const realm = { tenantId: tenant.id, environment: 'test' } as const
  const { baseUrl } = deps.config
  const callback = `${suite.origin}/test/a/${suite.alias}/callback`
  const makeClient = async (name: string) => {
    const key = plan.auth === 'private_key_jwt' ? newKey(name) : null
    const terms = termsOf(plan, { name, callback, jwks: key?.public ?? null })
    const made = await createClient(deps, { realm, terms, authMethod: plan.auth, actor })
    if (made.outcome !== 'done') throw new Error(`bug: a client for the suite was not made (${made.outcome})`)
    const { client, secret } = made
    if (key !== null)
      return { client_id: client.id, scope: 'openid', jwks: { keys: [key.private] }, dpop_signing_alg: 'ES256' }
    return { client_id: client.id, client_secret: secret }
  }
  const issuer = issuerOf(baseUrl, realm)
  const isSecret = plan.auth === 'client_secret'
  return {
    suiteName: plan.suiteName,
    variant: plan.variant,
    tenantId: tenant.id,
    configuration: {
      alias: suite.alias,
      description: `Vidimus, ${plan.suiteName}`,
      server: { discoveryUrl: `${issuer}/.well-known/openid-configuration` },
      client: await makeClient('First client of the suite'),
      client2: await makeClient('Second client of the suite'),
      ...(isSecret ? { client_secret_post: await makeClient('Client with its secret in the form') } : {}),
      ...(isSecret ? {} : { resource: { resourceUrl: `${issuer}/userinfo` } }),
      browser: signInBrowser({ issuer, baseUrl, callback }),
      override: { 'oidcc-ensure-registered-redirect-uri': { browser: errorPageBrowser({ issuer }) } },
    },
    verification: null,
  }
}

function termsOf(
  plan: ProviderPlan,
  { name, callback, jwks }: { readonly name: string; readonly callback: string; readonly jwks: string | null },
): ClientTerms {
  return {
    ...STANDARD_TERMS,
    name,
    redirectUris: [callback],
    templates: ['identity', 'identity_extended', 'address'],
    defaultTemplate: 'identity',
    subjectMode: 'derived',
    subjectClaims: SUBJECT_CLAIMS,
    verifiedClaims: plan.isAssured,
    // Modules with `prompt=none` and `max_age` need a browser that is remembered.
    rememberMinutes: 60,
    jwks,
    ...(plan.auth === 'private_key_jwt' && { profile: 'fapi2', idTokenAlg: 'ES256' }),
  }
}

function newKey(name: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const marks = { kid: name.toLowerCase().replaceAll(' ', '-'), use: 'sig', alg: 'ES256' }
  return {
    private: { ...privateKey.export({ format: 'jwk' }), ...marks },
    public: JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), ...marks }] }),
  }
}
