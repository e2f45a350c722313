// The state of a form or button: whether it is sending, the last error, and a function to send.

import { useState } from 'react'

interface Submit {
  readonly busy: boolean
  /** null: there is no error, or the form is being sent again. */
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
