// Provides the port through which core signs requests to wallets.

import type { Signing } from '../../../core/ports/signing.ts'
import { type CertificateNeeds, clientIdFor, readersFor, signerFor, signersFor } from './certificate-in-use.ts'

export const createSigning = (deps: CertificateNeeds): Signing => ({
  clientIdFor: (asking, prefix) => clientIdFor(deps, { ...asking, prefix }),
  signerFor: (realm, clientId) => signerFor(deps, { ...realm, clientId }),
  signersFor: (asking, clientId) => signersFor(deps, { ...asking, ...(clientId !== undefined && { clientId }) }),
  readersFor: (asking) => readersFor(deps, asking),
})
