// A request signer with a key of the test.

import { type KeyObject, sign } from 'node:crypto'
import { SIGNATURE_ALGORITHMS } from '../src/algorithms.ts'
import { algorithmOfKey } from '../src/jose.ts'
import type { RequestSigner } from '../src/openid4vp/request.ts'

export function signerOf(privateKey: KeyObject): RequestSigner {
  const algorithm = algorithmOfKey(privateKey)
  if (algorithm === null) throw new Error('a key that signs no requests')
  const { hash } = SIGNATURE_ALGORITHMS[algorithm]
  return { algorithm, sign: (bytes) => sign(hash, bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }) }
}
