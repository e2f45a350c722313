// Brands for tests: a logo that a merchant might draw, applied to a page.

import assert from 'node:assert/strict'
import { type BrandingDraft, NO_BRANDING } from '../../../src/features/pages/domain/branding/branding.ts'
import { changeBranding } from '../../../src/features/pages/usecases/manage-branding.ts'
import type { Environment } from '../../../src/platform/world.ts'
import { OPERATOR, type TestService } from '../service.ts'

export const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><title>Leaf</title><rect width="48" height="48" rx="12" fill="#0b6b4f"/><path d="M14 34C12 20 22 12 36 12c0 14-8 22-18 20" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>`

export async function dress(
  service: Pick<TestService, 'deps'>,
  tenantId: string,
  look: Partial<Omit<BrandingDraft, 'name' | 'colour'>> & {
    readonly name?: string
    readonly colour?: string
    readonly environment?: Environment
  } = {},
): Promise<void> {
  const { environment = 'test', ...draft } = look
  const changed = await changeBranding(service.deps, {
    realm: { tenantId, environment },
    actor: OPERATOR,
    draft: () => ({
      ...NO_BRANDING,
      colour: '#0b6b4f',
      supportUrl: 'https://shop.example/help',
      privacyUrl: 'https://shop.example/privacy',
      logo: Buffer.from(LOGO),
      ...draft,
      logoDark: draft.logoDark ?? null,
    }),
  })
  assert.equal(changed.outcome, 'changed')
}
