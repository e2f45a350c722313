// Prepares a conformance plan for the OpenID provider: a tenant, its clients, and the suite's configuration.

import { generateKeyPairSync } from 'node:crypto'
import type { AuditActor } from '../../../core/ports/audit.ts'
import { saveTemplate } from '../../../core/templates/usecases/manage-templates.ts'
import { createTenant } from '../../../core/tenants/usecases/manage-tenants.ts'
import type { Deps } from '../../../deps.ts'
import { type ClientTerms, createClient, issuerOf, STANDARD_TERMS } from '../../oidc/index.ts'
import { overridesOf, signInBrowser } from '../domain/browser.ts'
import type { ProviderPlan } from '../domain/plans.ts'
import { type Prepared, QUOTA, type SuiteAddress } from '../domain/prepared.ts'
import { SUITE_TEMPLATE } from '../domain/suite-template.ts'

type Needs = Parameters<typeof createClient>[0] &
  Parameters<typeof createTenant>[0] &
  Parameters<typeof saveTemplate>[0] &
  Pick<Deps, 'config'>

/** These claims give the same `sub` at each sign-in, which modules with two sign-ins compare. */
const SUBJECT_CLAIMS = ['given_name', 'family_name', 'birth_date']

/** Members of our discovery document that the suite does not know (OpenID Connect for Identity Assurance 1.0 §9). */
const UNLISTED_METADATA = ['verified_claims_supported']

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
  const saved = await saveTemplate(deps, { realm, ...SUITE_TEMPLATE, actor })
  if (saved.outcome !== 'created') throw new Error(`bug: the suite's template was not created (${saved.outcome})`)
  const makeClient = async (name: string) => {
    const key = plan.auth === 'private_key_jwt' ? newKey(name) : null
    const terms = termsOf(plan, { name, callback, jwks: key?.public ?? null })
    const created = await createClient(deps, { realm, terms, authMethod: plan.auth, actor })
    if (created.outcome !== 'done') throw new Error(`bug: a client for the suite was not created (${created.outcome})`)
    const { client, secret } = created
    if (key !== null)
      return { client_id: client.id, scope: 'openid profile', jwks: { keys: [key.private] }, dpop_signing_alg: 'ES256' }
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
      server: {
        discoveryUrl: `${issuer}/.well-known/openid-configuration`,
        allow_unexpected_metadata_fields: UNLISTED_METADATA,
      },
      client: await makeClient('First client of the suite'),
      client2: await makeClient('Second client of the suite'),
      ...(isSecret ? { client_secret_post: await makeClient('Client with its secret in the form') } : {}),
      ...(isSecret ? {} : { resource: { resourceUrl: `${issuer}/userinfo` } }),
      ...(plan.isAssured ? { ekyc: ASSURED_REQUESTS } : {}),
      browser: signInBrowser({ issuer, baseUrl, callback }),
      override: overridesOf({ issuer, baseUrl, callback }),
    },
    verification: null,
  }
}

const ASSURED_REQUEST = {
  verification: { trust_framework: { value: 'eidas' }, assurance_level: null, time: null },
  claims: { given_name: null, family_name: { essential: true }, birthdate: null },
}
/** For the module of the eKYC plan that reads its `claims` from the configuration. */
const ASSURED_REQUESTS = {
  verified_claims_request_list: [
    { id_token: { verified_claims: ASSURED_REQUEST }, userinfo: { verified_claims: ASSURED_REQUEST } },
  ],
}

function termsOf(
  plan: ProviderPlan,
  { name, callback, jwks }: { readonly name: string; readonly callback: string; readonly jwks: string | null },
): ClientTerms {
  return {
    ...STANDARD_TERMS,
    name,
    // The suite's second client has a query in its redirect address.
    redirectUris: [callback, `${callback}?dummy1=lorem&dummy2=ipsum`],
    templates: ['identity', SUITE_TEMPLATE.key],
    defaultTemplate: 'identity',
    subjectMode: 'derived',
    subjectClaims: SUBJECT_CLAIMS,
    verifiedClaims: plan.isAssured,
    // Modules with `prompt=none` and `max_age` need a remembered browser.
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
