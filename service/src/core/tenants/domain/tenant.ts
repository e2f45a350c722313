// Defines tenants and their plans.

import type { Instant } from '../../../platform/world.ts'

/** Verifications per day; a tenant's own quota overrides the plan. */
export const PLANS = { free: 100, starter: 1_000, business: 20_000, enterprise: 1_000_000 } as const
export type Plan = keyof typeof PLANS

export interface Tenant {
  readonly id: string
  readonly name: string
  readonly plan: Plan
  /** null: the plan's quota. Zero allows no verifications. */
  readonly dailyQuota: number | null
  readonly createdAt: Instant
}

export interface TenantChange {
  readonly name?: string
  readonly plan?: Plan
  /** null returns to the plan's quota. */
  readonly dailyQuota?: number | null
}

export const DAILY_QUOTA_MAX = 999_999_999
export const isDailyQuota = (quota: number) => Number.isInteger(quota) && quota >= 0 && quota <= DAILY_QUOTA_MAX

export const isPlan = (text: string): text is Plan => Object.hasOwn(PLANS, text)

export function dailyQuotaOf(tenant: Pick<Tenant, 'plan' | 'dailyQuota'>): number {
  return tenant.dailyQuota ?? PLANS[tenant.plan]
}

export function renderTenant(tenant: Tenant) {
  return {
    id: tenant.id,
    name: tenant.name,
    plan: tenant.plan,
    daily_quota: dailyQuotaOf(tenant),
    created_at: tenant.createdAt,
  }
}
