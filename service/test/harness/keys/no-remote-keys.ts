// Provides no external keys, for tests whose keys are all local.

import { KeyFailure } from '../../../src/platform/keys/key-provider.ts'
import { createRemoteKeys } from '../../../src/platform/keys/remote-keys.ts'

export const NO_REMOTE_KEYS = createRemoteKeys({
  provide: async () => {
    throw new KeyFailure('refused', 'no provider is configured')
  },
})
