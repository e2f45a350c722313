// Serves the request object of a verification, rebuilt from stored data.

import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/index.ts'
import { readRequestForStaff } from '../usecases/read-request-for-staff.ts'

export function addVerificationRequestRoute(app: App, deps: Deps): void {
  app.route({
    // With a long query, this takes as long as several small requests.
    ...permitted(deps, 'GET @/verifications/:id/request', () => 4),
    handler: async (request) => {
      const { realm, role } = staffOf(request)
      const shown = await readRequestForStaff(deps, { realm, role, id: request.params.id })
      const { registration } = shown
      return {
        request: shown.request,
        question: shown.question,
        built_in: shown.builtIn,
        encryption_key: shown.encryptionKey,
        origin: shown.origin,
        registration:
          typeof registration === 'string'
            ? null
            : {
                intended_use: registration.intendedUse,
                purposes: registration.purposes,
                privacy_policy: registration.privacyPolicy,
              },
        registration_forgotten: registration === 'forgotten',
        by_age_link: shown.byAgeLink,
      }
    },
  })
}
