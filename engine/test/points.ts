// Public points of P-256 in the form of HPKE.

/** 04 | x | y of a JWK. */
export function pointOf({ x = '', y = '' }: { readonly x?: string; readonly y?: string }): Buffer {
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
}
