// The worker thread that writes and encrypts evidence bundles outside the event loop. See bundle-writer.ts.

import { hash, randomBytes } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { writeMerchantJwe } from '../../../core/result-keys/usecases/merchant-jwe.ts'
import { lowerPriority } from '../../../platform/threads/thread-priority.ts'
import type { ThreadJob, ThreadReply } from '../../../platform/threads/thread-turns.ts'
import { renderContent } from '../domain/bundle-content.ts'
import type { Bundle, WrittenBundle } from './bundle-writer.ts'

lowerPriority()

parentPort?.on('message', ({ id, input: { content, terms } }: ThreadJob<Bundle>) => {
  const jwe = writeMerchantJwe(terms, renderContent(content), randomBytes)
  const output = { jwe, sha256: hash('sha256', jwe, 'base64url') }
  parentPort?.postMessage({ id, output } satisfies ThreadReply<WrittenBundle>)
})
