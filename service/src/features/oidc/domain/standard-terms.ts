// Defines the default settings of a client.

import type { ClientTerms } from './client.ts'

export const STANDARD_TERMS: ClientTerms = {
  name: 'client',
  redirectUris: [],
  templates: [],
  defaultTemplate: null,
  subjectMode: 'ephemeral',
  subjectClaims: [],
  requireTrue: false,
  vpData: false,
  verifiedClaims: false,
  claimsInIdToken: false,
  idTokenAlg: 'RS256',
  rememberMinutes: 0,
  crossDevice: 'confirm',
  jwks: null,
  requestUris: [],
  profile: 'openid',
}
