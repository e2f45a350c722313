// Marks a delivery as a test event.

import { usePageWords } from '../../preferences.tsx'
import { webhookWords } from '../../words/webhooks.ts'

export function TestMark() {
  const { log } = usePageWords(webhookWords)
  return (
    <span className="inline-block rounded-full bg-warn-soft px-2.5 py-0.5 text-[13px] font-medium whitespace-nowrap text-warn">
      {log.test}
    </span>
  )
}
