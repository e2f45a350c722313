// The field for a new password. It can be shown, because there is no second field to compare it with.

import { useState } from 'react'
import { useWords } from '../../preferences.tsx'
import { CheckField, TextField } from '../../ui/parts.tsx'

interface Props {
  label: string
  hint: string
  required: boolean
  minLength?: number | undefined
}

export function NewPasswordField(props: Props) {
  const words = useWords()
  const [shown, setShown] = useState(false)
  return (
    <>
      <TextField
        {...props}
        name="password"
        type={shown ? 'text' : 'password'}
        autoComplete="new-password"
        autoCapitalize="none"
        spellCheck={false}
      />
      <div className="-mt-1 mb-4">
        <CheckField
          label={words.link.showPassword}
          checked={shown}
          onChange={(event) => setShown(event.currentTarget.checked)}
        />
      </div>
    </>
  )
}
