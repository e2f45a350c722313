// The worker thread that writes and encrypts evidence bundles outside the event loop. See bundle-writer.ts.

import { hash, randomBytes } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { writeMerchantJwe } from '../../../core/result-keys/usecases/merchant-jwe.ts'
import { lowerPriority } from '../../../platform/thread-priority.ts'
import { renderContent } from '../domain/bundle-content.ts'
import type { BundleJob, BundleReply } from './bundle-writer.ts'

lowerPriority()

parentPort?.on('message', ({ id, content, terms }: BundleJob) => {
  const jwe = writeMerchantJwe(terms, renderContent(content), randomBytes)
  parentPort?.postMessage({ id, written: { jwe, sha256: hash('sha256', jwe, 'base64url') } } satisfies BundleReply)
})
