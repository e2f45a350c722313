// The certificate: a PDF to pass on.

import { useState } from 'react'
import { ApiError, get } from '../../../api.ts'
import { saveFile } from '../../../key-file.ts'
import { usePreferences } from '../../../preferences.tsx'
import { useHere } from '../../../session.tsx'
import { Button, ErrorNote, Note } from '../../../ui/parts.tsx'
import { useVerificationWords } from './words.ts'

export function Certificate({ id }: { id: string }) {
  const words = useVerificationWords()
  const here = useHere()
  const { language } = usePreferences()
  const [error, setError] = useState<unknown>(null)
  const download = async () => {
    setError(null)
    try {
      const at = here.at({ id, query: new URLSearchParams({ language }) })
      const { name, pdf } = await get('@/verifications/:id/certificate', at)
      saveFile(name, new Blob([pdf], { type: 'application/pdf' }))
    } catch (fault) {
      setError(fault)
    }
  }
  const isSoon = error instanceof ApiError && error.status === 503
  return (
    <>
      <Button icon="download" onClick={download}>
        {words.certificate}
      </Button>
      {error !== null && (
        <div className="order-last basis-full">
          {isSoon ? <Note tone="plain">{words.certificateSoon}</Note> : <ErrorNote error={error} />}
        </div>
      )}
    </>
  )
}
