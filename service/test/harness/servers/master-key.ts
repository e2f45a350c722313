// The master key of every test service: fixed, so that a second process opens what the first one sealed.

import { createHash } from 'node:crypto'

export const TEST_MASTER_KEY = createHash('sha256').update('the master key of the tests').digest()
