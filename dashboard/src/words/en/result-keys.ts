// English: keys that results are encrypted to.

export const enResultKeys = {
  resultKeys: {
    title: 'Result keys',
    lead: 'Add your own key and we encrypt results so that only you can read them. You can have two keys per environment; we use the newest confirmed one.',
    empty: 'No key yet. Results are encrypted, but we hold the key.',
    lost: 'If you lose the private key, you can no longer read these results. We cannot restore them.',
    kid: 'Key',
    added: 'Added',
    state: 'Status',
    proven: 'Confirmed',
    unproven: 'Not confirmed',
    add: 'Add a key',
    jwk: 'Public key (JWK)',
    jwkHint: 'A P-256 key with "use": "enc" and "alg": "ECDH-ES". Never paste a private key.',
    makeLead:
      'Your browser creates a key pair. The private key is saved as a file on your computer and not sent to us.',
    own: 'Use a key pair of your own',
    make: 'Create a key pair',
    problems: {
      not_a_jwk: 'This is not a JWK.',
      private_key: 'This is a private or symmetric key. Keep it secret and paste the public key instead.',
      not_p256: 'The key must be an EC key on the curve P-256.',
      not_for_encryption: 'The key must have "use": "enc" and "alg": "ECDH-ES".',
      unknown_member: 'The key may only have kty, crv, x, y, use, alg and kid.',
      not_on_curve: 'x and y are not a point on P-256.',
      there_already: 'This key has already been added.',
      too_many: 'You already have two keys. Remove one first.',
      no_tenant: 'This company no longer exists.',
    },
    proveTitle: 'Confirm that you have the private key',
    proveLead:
      'Choose the private key file. Your browser uses it to decrypt the challenge; the key stays on your computer. Or decrypt the challenge yourself and enter the text.',
    keyFile: 'Private key file',
    answer: 'Decrypted text',
    prove: 'Confirm',
    proofs: {
      proven: 'Confirmed. New results are encrypted with this key.',
      wrong: 'The text is not correct.',
      lapsed: 'The challenge has expired. Close this window and choose “Confirm” again.',
      not_found: 'This key no longer exists.',
    },
    notThisKey: 'This file does not contain the matching key.',
    remove: 'Remove',
    removeTitle: 'Remove this key?',
    removeLead:
      'New results are no longer encrypted with it. Existing results stay encrypted. Without another confirmed key, we hold the key to new results again.',
    encrypted: 'Encrypted. Only your private key can open this.',
    openWith: 'Open with a key file',
    openHint: 'The file is read in your browser and not uploaded.',
    forgotten: 'Deleted, because you received it, asked us to delete it, or its time was up.',
  },
}
