// English: keys of your own that results are encrypted to.

export const enResultKeys = {
  resultKeys: {
    title: 'Result keys',
    lead: 'With your own key, results are encrypted before we store them, and only you can read them. At most two keys in this environment; the newest proven one is used.',
    empty: 'No key: results are sealed at rest, and we could read them.',
    lost: 'If you lose the private key, the results encrypted to it are lost. We cannot restore them.',
    kid: 'Key',
    state: 'State',
    proven: 'in use or kept for older results',
    unproven: 'not proven',
    add: 'Add a key',
    jwk: 'Public key (JWK)',
    jwkHint:
      'P-256 with "use": "enc" and "alg": "ECDH-ES"; never the private key. Or have a pair made here: the private key is saved as a file on this machine and goes nowhere else.',
    make: 'Make a pair here',
    problems: {
      not_a_jwk: 'This is no JWK.',
      private_key: 'This is a private or symmetric key. Keep it, and hand in the public one.',
      not_p256: 'The key must be of type EC on the curve P-256.',
      not_for_encryption: 'The key must say "use": "enc" and "alg": "ECDH-ES".',
      unknown_member: 'The key may have kty, crv, x, y, use, alg and kid, nothing else.',
      not_on_curve: 'x and y are no point of P-256.',
      there_already: 'This key is listed already.',
      too_many: 'Two are listed already. Remove one first.',
      no_tenant: 'This company is no longer there.',
    },
    proveTitle: 'Prove that you hold the private key',
    proveLead:
      'Only the private key opens this challenge. Choose its file, and this page opens it: the key stays on this machine. Or open it elsewhere and write down what it says.',
    keyFile: 'File of the private key',
    answer: 'What the challenge says',
    prove: 'Prove',
    proofs: {
      proven: 'Proven: results are encrypted to this key from now on.',
      wrong: 'That is not what the challenge says.',
      lapsed: 'The challenge has expired. Close this and choose Prove again for a new one.',
      not_found: 'This key is no longer there.',
    },
    notThisKey: 'This file holds another key, or none.',
    remove: 'Remove',
    removeTitle: 'Remove this key?',
    removeLead:
      'Nothing more is encrypted to it; what was, stays so. Without another proven key, results are readable for us again.',
    encrypted: 'Encrypted for you: only your private key opens it.',
    openWith: 'Open with a key file',
    openHint: 'It is read in this page alone and sent nowhere.',
    forgotten: 'Forgotten: you had the content, asked us to forget it, or its time was over.',
  },
}
