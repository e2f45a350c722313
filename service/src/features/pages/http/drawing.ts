// What every part of a page needs: language, words, brand, and what this browser may know.

import type { Language } from '../../../../../labels/catalogue.ts'
import { OPEN_STEPS } from '../../../core/verifications/domain/progress.ts'
import type { HostedVerification } from '../usecases/read-hosted-page.ts'
import type { Brand } from './brand.ts'
import { wordsOf } from './words/languages.ts'
import type { Words } from './words/words.ts'

interface Reader {
  readonly language: Language
  readonly brand: Brand
  /** The verification is bound to this browser. Other browsers see that it failed, but not why. */
  readonly mayKnowReason: boolean
}

export interface Drawing extends Reader {
  readonly words: Words
  /** The verification is open, or bound to this browser. Other browsers see nothing of an ended request. */
  readonly knowsRequest: boolean
}

export function drawingOf({ step, agreesTo }: HostedVerification, { language, brand, mayKnowReason }: Reader): Drawing {
  const knowsRequest = OPEN_STEPS.has(step) || mayKnowReason
  const words = wordsOf(language, knowsRequest && agreesTo === 'payment')
  return { language, brand, mayKnowReason, words, knowsRequest }
}
