// Prepares a conformance plan for the verifier: tenant, settings, key, anchor and the suite's configuration.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { createKey } from '../../../core/tenants/usecases/manage-keys.ts'
import { changeSettings } from '../../../core/tenants/usecases/manage-settings.ts'
import { createTenant } from '../../../core/tenants/usecases/manage-tenants.ts'
import type { Deps } from '../../../deps.ts'
import { addAnchor, exportCertificates, issueAuthority, issueLeaf } from '../../trust/index.ts'
import { evidenceBrowser } from '../domain/browser.ts'
import {
  SUITE_CREDENTIALS,
  suiteVariantOf,
  VERIFIER_PLANS,
  type VerifierPlanName,
  type VerifierVariant,
} from '../domain/plans.ts'
import { type Prepared, QUOTA, type SuiteAddress } from '../domain/prepared.ts'

type Needs = Parameters<typeof addAnchor>[0] & Parameters<typeof createTenant>[0] & Pick<Deps, 'config' | 'signing'>

const HOUR_MS = 3_600_000
const SIGNER_MS = 365 * 24 * HOUR_MS

interface PreparedVerifier {
  readonly plan: VerifierPlanName
  readonly variant: VerifierVariant
  readonly suite: SuiteAddress
  /** The certificate that the suite signs its mdocs with; null: the configuration brings a new signer. */
  readonly signer: Uint8Array | null
  readonly actor: AuditActor
}

/** Prepares the plan. Returns the problem if the signer cannot be trusted. */
export async function prepareVerifierPlan(
  deps: Needs,
  input: PreparedVerifier,
): Promise<Prepared | { readonly problem: string }> {
  const { variant, suite, actor } = input
  const { suiteName, isHaip } = VERIFIER_PLANS[input.plan]
  const { anchorType, query } = SUITE_CREDENTIALS[variant.format]
  const tenant = await createTenant(deps, {
    name: `Conformance ${suite.alias}`,
    plan: 'free',
    dailyQuota: QUOTA,
    actor,
  })
  const realm = { tenantId: tenant.id, environment: 'test' } as const
  const created = input.signer === null ? newSigner(deps) : null
  const certificate = created?.certificate ?? input.signer
  if (certificate === null) throw new Error('bug: no signer')
  const anchor = { owner: realm, kind: 'exact', profile: 'generic', types: [anchorType], certificate } as const
  const added = await addAnchor(deps, { ...anchor, actor })
  if (added.outcome === 'refused') return { problem: added.problem }
  const { responseMode, clientIdPrefix } = variant
  // Credentials of the suite name no status list.
  const change = { haip: isHaip, responseMode, clientIdPrefix, statusPolicyTest: 'prefer' } as const
  await changeSettings(deps, { tenantId: tenant.id, change, actor })
  const scopes = ['verifications:create', 'verifications:read'] as const
  const key = await createKey(deps, { ...realm, name: 'Conformance suite', scopes, expiresInDays: 30, actor })
  if (key === null) throw new Error('bug: the tenant is gone')
  return {
    suiteName,
    variant: suiteVariantOf(isHaip, variant),
    tenantId: tenant.id,
    configuration: {
      alias: suite.alias,
      description: `Vidimus, ${suiteName}`,
      client: { client_id: new URL(deps.config.baseUrl).hostname, ...(await requestAnchor(deps, realm)) },
      ...(created === null ? {} : { credential: { signing_jwk: created.jwk } }),
      browser: evidenceBrowser(suite.origin),
    },
    verification: { apiKey: key.key, body: { query, redirect_url: `${suite.origin}/` } },
  }
}

/** Creates a signer below a new authority that only this plan trusts: HAIP 1.0 6.1.1 forbids a self-signed one. */
function newSigner({ clock, random }: Pick<Deps, 'clock' | 'random'>) {
  const nowMs = clock.now()
  const period = { notBeforeMs: nowMs - HOUR_MS, notAfterMs: nowMs + SIGNER_MS }
  const subject = { commonName: 'Conformance test authority', organization: 'Conformance test' }
  const authority = { ...issueAuthority(subject, period, random), subject }
  const leaf = {
    subject: { commonName: 'Conformance test signer', organization: 'Conformance test' },
    host: 'conformance.invalid',
    purpose: 'openid4vp',
    period,
  } as const
  const { certificate, privateKey } = issueLeaf(authority, leaf, random)
  const x5c = [Buffer.from(certificate).toString('base64')]
  return { certificate, jwk: { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', x5c } }
}

/**
 * Returns the anchor that verifies our request objects. Empty if the operator installed a certificate of another
 * authority.
 */
async function requestAnchor(
  deps: Pick<Deps, 'db' | 'signing'>,
  realm: Realm,
): Promise<{ readonly request_object_trust_anchor_pem?: string }> {
  // The first use generates it.
  await deps.signing.signersFor(realm)
  const own = (await exportCertificates(deps)).find(
    ({ tenantId, environment, purpose }) => tenantId === null && environment === 'test' && purpose === 'openid4vp',
  )
  return own?.authority === undefined || own.authority === null
    ? {}
    : { request_object_trust_anchor_pem: own.authority }
}
