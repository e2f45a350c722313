// The set-up file of `vidimus apply` and `vidimus export`, which has no secrets.

import type { ListProviders } from '@vidimus/engine'
import type { OwnTemplate } from '../../../core/templates/domain/template.ts'
import type { Scope } from '../../../core/tenants/domain/api-key.ts'
import type { TenantSettings } from '../../../core/tenants/domain/settings.ts'
import type { Plan } from '../../../core/tenants/domain/tenant.ts'
import type { Environment } from '../../../platform/world.ts'
import type { AnchorView, CertificatePurpose, TrustList } from '../../trust/index.ts'

/** The version of the file format. Other versions are refused. */
export const SETUP_VERSION = 1

/** The position in the file: member names and list indexes. */
export type SetupPath = readonly (string | number)[]

export interface SetupProblem {
  readonly path: SetupPath
  readonly message: string
}

interface Entry {
  readonly path: SetupPath
}

export interface KeyEntry extends Entry {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** null if it does not expire. */
  readonly expiresInDays: number | null
}

export interface TemplateEntry extends Entry {
  readonly template: OwnTemplate
  /** The template document. Saving checks it again. */
  readonly document: unknown
}

export interface EndpointEntry extends Entry {
  readonly name: string
  readonly url: string
  /** null: the file does not say. */
  readonly isDefault: boolean | null
}

export interface AnchorEntry extends Entry, Pick<AnchorView, 'kind' | 'profile' | 'types' | 'sole' | 'certificate'> {}

/** A published list that is fetched from its address. */
export interface TrustListEntry
  extends Entry,
    Pick<TrustList, 'kind' | 'source' | 'types' | 'sole' | 'signerAuthority'>,
    Readonly<Record<'signer', Uint8Array>>,
    Readonly<Record<'providers', ListProviders>> {}

export interface CertificateEntry extends Entry {
  readonly purpose: CertificatePurpose
  readonly serviceId: string | null
  readonly chain: readonly Uint8Array[]
  /** The path of the private key. null: the key is in the store, or the certificate is already installed. */
  readonly keyFile: string | null
}

/** null for a kind that the file does not mention. Entries of that kind do not change. */
export interface TrustSetup {
  readonly anchors: readonly AnchorEntry[] | null
  readonly trustLists: readonly TrustListEntry[] | null
  readonly certificates: readonly CertificateEntry[] | null
}

export interface RealmSetup extends TrustSetup {
  readonly keys: readonly KeyEntry[] | null
  readonly templates: readonly TemplateEntry[] | null
  readonly endpoints: readonly EndpointEntry[] | null
}

export interface TenantSetup extends Entry {
  /** Needed to rename a tenant, or if its name is not unique. null: the tenant is found by its name. */
  readonly id: string | null
  readonly name: string
  readonly plan: Plan | null
  /** undefined: the file does not say; null: the plan's quota. */
  readonly dailyQuota: number | null | undefined
  readonly settings: Partial<TenantSettings>
  readonly realms: Readonly<Record<Environment, RealmSetup>>
}

export interface Setup {
  /** The operator's part, which applies to all tenants. */
  readonly service: Readonly<Record<Environment, TrustSetup>>
  readonly tenants: readonly TenantSetup[]
}
