// The record of the format SD-JWT VC (OpenID4VP B.3).

import { JWS_ALGORITHM_NAMES } from '../../algorithms.ts'
import type { Presentation, QueriedRecord } from '../record.ts'
import { examineSdJwt, listSdJwt } from './checks.ts'
import { SD_JWT } from './name.ts'
import { readJsonPath, readSdJwtMeta, type SdJwtQuery } from './query.ts'

export const sdJwt: QueriedRecord<SdJwtQuery> = {
  kind: 'queried',
  name: SD_JWT,
  label: 'SD-JWT VC',
  examine: (presentation, demand) => examineSdJwt(textOf(presentation), demand),
  list: (presentation, demand) => listSdJwt(textOf(presentation), demand),
  contentChecks: ['disclosures_valid'],
  otherChecks: [],
  statusNotProvable: null,
  namedClaims: (claims) => Object.entries(claims),
  typeName: 'vct',
  readMeta: readSdJwtMeta,
  typesOf: ({ vct_values: types }) => types,
  metaOf: (types) => ({ vct_values: [...types] }),
  readPath: readJsonPath,
  claimMembers: [],
  claimNames: (path) => path.filter((part) => typeof part === 'string'),
  vpFormats: { 'sd-jwt_alg_values': JWS_ALGORITHM_NAMES, 'kb-jwt_alg_values': JWS_ALGORITHM_NAMES },
  wireQuery: (query) => query,
  confirms: () => true,
  confirmsOnce: ({ keyBinding }) => keyBinding === 'qes_approval',
}

function textOf(presentation: Presentation): string {
  if (typeof presentation !== 'string') throw new Error('bug: the presentation of an SD-JWT is not a text')
  return presentation
}
