// GET /verify/{id}/qr.svg: the QR code of a pending verification as an image, for a merchant's own page.

import encodeQR from 'qr'
import { Type } from 'typebox'
import { ownershipOf } from '../../../core/verifications/domain/browser-binding.ts'
import { browserHashOf } from '../../../core/verifications/http/browser-cookie.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { readHostedPage } from '../usecases/read-hosted-page.ts'

export function addQrImage(routes: App, deps: Deps): void {
  routes.get(
    '/verify/:id/qr.svg',
    { ...withoutKey(deps), schema: { hide: true, params: Type.Object({ id: Type.String() }) } },
    async (request, reply) => {
      const { id } = request.params
      if (!isVerificationId(id)) throw new Refusal('session_not_found')
      await spendBudget(deps, reply, { name: 'verification', key: id, budget: deps.config.rates.verification })
      const { status, walletUri, browser, takesOtherDevices } = await readHostedPage(deps, id)
      // A merchant's page may show the code until a browser opens the hosted page. A sign-in needs the hosted page.
      const isElsewhere = ownershipOf(browser, browserHashOf(deps, request, id)) === 'elsewhere'
      if (isElsewhere || !takesOtherDevices) throw new Refusal('session_mismatch')
      if (status === 'expired') throw new Refusal('session_expired')
      if (status !== 'pending') throw new Refusal('session_already_responded')
      // Other sites embed it. It contains only the link that the merchant already has.
      reply.header('Cross-Origin-Resource-Policy', 'cross-origin')
      return reply.type('image/svg+xml').send(encodeQR(walletUri, 'svg', { ecc: 'medium', border: 2 }))
    },
  )
}
