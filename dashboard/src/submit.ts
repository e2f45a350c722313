// What a form or a button is doing: whether it is sending, what went wrong the last time, and the way to send.

import { useState } from 'react'

interface Submit {
  readonly busy: boolean
  /** null: nothing, or it is being sent again. */
  readonly error: unknown
  run(send: () => Promise<unknown>): Promise<void>
}

export function useSubmit(): Submit {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const run = async (send: () => Promise<unknown>) => {
    setBusy(true)
    setError(null)
    try {
      await send()
    } catch (caught) {
      setError(caught)
    }
    setBusy(false)
  }
  return { busy, error, run }
}
