// Describes the requests and responses of the issuer's routes, for the API description and the tests.

import { Type } from 'typebox'

export const REALM_PATH = '/oidc/:tenant/:environment'
export const RealmParams = Type.Object({ tenant: Type.String(), environment: Type.String() })
export const SignInParams = Type.Object({ tenant: Type.String(), environment: Type.String(), id: Type.String() })
