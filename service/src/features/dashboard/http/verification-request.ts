// What the wallet of a verification was asked: its request object, from what is kept of it.

import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/http/access.ts'
import { Answer, List, Open, oneOf, orNull, Part, RealmAndId } from '../../staff/http/fields.ts'
import { readRequestForStaff } from '../usecases/read-request-for-staff.ts'
import { Question } from './templates.ts'

const VerificationRequest = Answer('VerificationRequest', {
  request: Open,
  question: Question,
  built_in: Type.Boolean({ description: 'The question of a built-in template, as this release asks it' }),
  encryption_key: oneOf('in_request', 'destroyed', 'none'),
  origin: Type.String({ description: 'Of the page whose browser may ask the same' }),
  registration: orNull(
    Part({
      intended_use: Type.String(),
      purposes: List(Part({ lang: Type.String(), text: Type.String() })),
      privacy_policy: orNull(Type.String()),
    }),
  ),
  registration_forgotten: Type.Boolean({ description: 'It was asked under one that is no longer kept' }),
  by_age_link: Type.Boolean({
    description: 'The parameters of the link for an age, by which it was answered; nobody signed them',
  }),
})

export function addVerificationRequestRoute(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/verifications/:id/request'),
    schema: { hide: true, params: RealmAndId, response: { 200: VerificationRequest } },
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
