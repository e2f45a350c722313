// Deletes the personal data or the whole verification, after a confirmation.

import { useState } from 'react'
import { useNavigate } from 'react-router'
import { post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useHere } from '../../session.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/parts.tsx'

export function Forget({ id, onClose }: { id: string; onClose(): void }) {
  const { forgetting: words } = useWords()
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={words.title}
      lead={words.lead}
      word={words.forget}
      onClose={onClose}
      action={() => act(() => post('@/verifications/:id/forget', {}, here.at({ id })))}
    />
  )
}

export function Erase({ id, onClose }: { id: string; onClose(): void }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const end = id.slice(-here.me.terms.erase_confirm_length)
  // Test data is not about real people, so nothing has to be typed.
  const mustType = here.environment === 'live'
  const erase = async () => {
    await act(async () => {
      await post('@/verifications/:id/erase', { confirm: mustType ? typed : end }, here.at({ id }))
      navigate(here.page('/verifications'))
    })
  }
  return (
    <Confirm
      title={words.detail.eraseTitle}
      lead={words.detail.eraseLead}
      word={words.detail.erase}
      onClose={onClose}
      action={erase}
      disabled={mustType && typed !== end}
    >
      {mustType && (
        <TextField
          label={words.detail.eraseConfirm(end)}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </Confirm>
  )
}
