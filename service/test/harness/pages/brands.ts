// Brands for tests: a logo that a merchant might draw, and how its page is dressed with it.

import assert from 'node:assert/strict'
import { changeBranding } from '../../../src/features/pages/usecases/manage-branding.ts'
import type { Environment } from '../../../src/platform/world.ts'
import { OPERATOR, type TestService } from '../service.ts'

export const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><title>Leaf</title><rect width="48" height="48" rx="12" fill="#0b6b4f"/><path d="M14 34C12 20 22 12 36 12c0 14-8 22-18 20" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>`

export async function dress(
  service: Pick<TestService, 'deps'>,
  tenantId: string,
  look: { readonly name?: string; readonly colour?: string; readonly environment?: Environment } = {},
): Promise<void> {
  const changed = await changeBranding(service.deps, {
    realm: { tenantId, environment: look.environment ?? 'test' },
    actor: OPERATOR,
    draft: () => ({
      name: look.name ?? null,
      colour: look.colour ?? '#0b6b4f',
      supportUrl: 'https://shop.example/help',
      privacyUrl: 'https://shop.example/privacy',
      logo: Buffer.from(LOGO),
    }),
  })
  assert.equal(changed.outcome, 'changed')
}
