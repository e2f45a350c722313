// Is a template sound, and what would it ask? Nothing is saved.

import { type PlainQuestion, plainQuestion } from '../../domain/template/plain-question.ts'
import { judged } from './manage-templates.ts'

export type Preview =
  | { readonly outcome: 'sound'; readonly question: PlainQuestion }
  | { readonly outcome: 'invalid'; readonly problem: string }

export function previewTemplate(key: string, document: unknown): Preview {
  const read = judged(key, document)
  if ('problem' in read) return { outcome: 'invalid', problem: read.problem }
  return { outcome: 'sound', question: plainQuestion(read.template) }
}
