// A virtual passkey device for the browser, which confirms automatically.

import type { Page } from 'playwright-core'

export async function virtualAuthenticator(target: Page): Promise<{ remove(): Promise<void> }> {
  const session = await target.context().newCDPSession(target)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = (await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })) as { authenticatorId: string }
  return { remove: async () => void (await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })) }
}
