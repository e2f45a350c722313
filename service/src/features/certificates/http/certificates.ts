// Serves the certificate of a verification, to merchants and through the dashboard to their staff.

import { Type } from 'typebox'
import { LANGUAGES } from '../../../../../labels/catalogue.ts'
import { CertificateQuery } from '../../../../../wire/receipts.ts'
import { refusals } from '../../../core/http/envelope-schema.ts'
import { principalOf, withScope } from '../../../core/http/principal.ts'
import { AUTHENTICATED, IdParams } from '../../../core/verifications/http/merchant/verifications.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, schemaOf, staffOf } from '../../staff/index.ts'
import { readReceipt } from '../../transparency/index.ts'
import { certify, readCertificate } from '../usecases/read-certificate.ts'
import { renderCertificate } from './render-certificate.ts'

const PDF = 'application/pdf'
/** Writing the page takes as long as this many small requests. */
const surcharge = () => 19
const Pdf = Type.String({ description: 'A PDF of one page; the receipt and its proof are attached', produces: [PDF] })

export function addCertificateRoute(app: App, deps: Deps): void {
  app.get(
    '/v1/verifications/:id/certificate',
    {
      ...withScope(deps, 'verifications:read', surcharge),
      schema: {
        operationId: 'getCertificate',
        tags: ['Verifications'],
        summary: 'Download the certificate of an ended verification (PDF)',
        description:
          'It says what was asked, when, and the outcome. It contains no personal data and no answer. Anyone can check it at `/verify-receipt`, or offline with `vidimus receipt verify`. After erasure, it does not show the question. Until the receipt is in the public log, which takes about a minute, the response is 503 with `Retry-After`.',
        params: IdParams,
        querystring: CertificateQuery,
        response: { 200: Pdf, ...refusals('invalid_request', ...AUTHENTICATED, 'session_not_found') },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const stored = await readReceipt(deps, { principal, id: request.params.id })
      const { language = LANGUAGES[0] } = request.query
      const certified = await certify(deps, principal, stored)
      const { pdf, name } = await renderCertificate(certified, { baseUrl: deps.config.baseUrl, language })
      reply.header('Content-Language', language)
      reply.header('Content-Disposition', `attachment; filename="${name}"`)
      return reply.type(PDF).send(pdf)
    },
  )
}

export function addStaffCertificateRoute(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/verifications/:id/certificate', surcharge),
    schema: { ...schemaOf('GET @/verifications/:id/certificate'), querystring: CertificateQuery },
    handler: async (request) => {
      const certified = await readCertificate(deps, staffOf(request).realm, request.params.id)
      const { language = LANGUAGES[0] } = request.query
      return renderCertificate(certified, { baseUrl: deps.config.baseUrl, language })
    },
  })
}
