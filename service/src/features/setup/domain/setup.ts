// A declared set-up: what an operator writes down of tenants and of whom is trusted. `vidimus apply` makes it so, and
// `vidimus export` writes it. It holds no secrets: of an API key its name and scopes, of a certificate its public part.

import type { ListProviders } from '@vidimus/engine'
import type { OwnTemplate } from '../../../core/templates/domain/template.ts'
import type { Scope } from '../../../core/tenants/domain/api-key.ts'
import type { TenantSettings } from '../../../core/tenants/domain/settings.ts'
import type { Plan } from '../../../core/tenants/domain/tenant.ts'
import type { Environment } from '../../../platform/world.ts'
import type { AnchorView, CertificatePurpose, TrustList } from '../../trust/index.ts'

/** Which form of the file this is; another one is refused. */
export const SETUP_VERSION = 1

/** Where in the file: names of members and places in lists. */
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
  /** null: no deadline. */
  readonly expiresInDays: number | null
}

export interface TemplateEntry extends Entry {
  readonly template: OwnTemplate
  /** As it was written: what is saved is judged again from this. */
  readonly document: unknown
}

export interface EndpointEntry extends Entry {
  readonly name: string
  readonly url: string
  /** null: nothing is said of it. */
  readonly isDefault: boolean | null
}

export interface AnchorEntry extends Entry, Pick<AnchorView, 'kind' | 'profile' | 'types' | 'sole' | 'certificate'> {}

/** A published list that is read from its address again and again. */
export interface TrustListEntry
  extends Entry,
    Pick<TrustList, 'kind' | 'source' | 'types' | 'sole' | 'signerAuthority'>,
    Readonly<Record<'signer', Uint8Array>>,
    Readonly<Record<'providers', ListProviders>> {}

export interface CertificateEntry extends Entry {
  readonly purpose: CertificatePurpose
  readonly serviceId: string | null
  readonly chain: readonly Uint8Array[]
  /** Where its private key lies; null: it waits in the store, or the certificate is installed already. */
  readonly keyFile: string | null
}

/** Of each kind null where the file does not speak of it: then nothing of that kind is added, changed or removed. */
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
  /** For a tenant that is to be renamed, or whose name another one has too; null: it is found by its name. */
  readonly id: string | null
  readonly name: string
  readonly plan: Plan | null
  /** undefined: nothing is said of it; null: the plan's. */
  readonly dailyQuota: number | null | undefined
  readonly settings: Partial<TenantSettings>
  readonly realms: Readonly<Record<Environment, RealmSetup>>
}

export interface Setup {
  /** What is the operator's, for every tenant. */
  readonly service: Readonly<Record<Environment, TrustSetup>>
  readonly tenants: readonly TenantSetup[]
}
