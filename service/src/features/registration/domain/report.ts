// Renders the state of a realm's registration as JSON.

import { type Concern, type Registered, renderConcern } from '../../../core/registrations/domain/choose.ts'
import { renderIdentity } from '../../../core/registrations/domain/identity.ts'
import type { UnderUse } from '../../../core/registrations/domain/over-asking.ts'
import { renderRegistration } from '../../../core/registrations/domain/registration.ts'

export interface RegistrationReport extends Registered {
  /** Covers the tenant's own templates and the built-in templates that it uses. */
  readonly templates: readonly TemplateReport[]
  /** Registered claims that no template of the intended use requests. This is only advice: API calls may have their own queries. */
  readonly underUse: readonly { readonly intendedUse: string; readonly unused: readonly UnderUse[] }[]
  readonly accessCertificates: readonly AccessFinding[]
}

interface TemplateReport {
  readonly key: string
  readonly builtIn: boolean
  readonly intendedUse: string | null
  readonly concerns: readonly Concern[]
}

export interface AccessFinding {
  readonly certificateId: string
  readonly serviceId: string | null
  readonly level: 'problem' | 'warning' | 'info'
  readonly check: string
  readonly detail: string
}

export function renderReport(report: RegistrationReport, nowMs: number) {
  return {
    identity: report.identity === null ? null : renderIdentity(report.identity),
    operator: report.own === null ? null : renderIdentity(report.own),
    certificates: report.registrations.map((one) => renderRegistration(one, report, nowMs)),
    templates: report.templates.map(({ key, builtIn, intendedUse, concerns }) => ({
      key,
      built_in: builtIn,
      intended_use: intendedUse,
      concerns: concerns.map(renderConcern),
    })),
    under_use: report.underUse.map(({ intendedUse, unused }) => ({
      intended_use: intendedUse,
      unused: unused.map(({ format, types, path }) => ({
        format,
        types: [...types],
        path: path === null ? null : [...path],
      })),
    })),
    access_certificates: report.accessCertificates.map((one) => ({
      certificate_id: one.certificateId,
      service_id: one.serviceId,
      level: one.level,
      check: one.check,
      detail: one.detail,
    })),
  }
}
