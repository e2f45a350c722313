// Password fields. The text can be shown, so there is no second field to confirm it.

import { type ComponentProps, useState } from 'react'
import { useWords } from '../../preferences.tsx'
import { Icon } from '../../ui/icon.tsx'
import { inputClass, Labelled } from '../../ui/parts.tsx'

interface Props extends Omit<ComponentProps<'input'>, 'type' | 'name' | 'className'> {
  label: string
  hint?: string
  /** The service's refusal. */
  problem?: string | null
}

export function PasswordField({ label, hint, problem, ...rest }: Props) {
  const words = useWords()
  const [shown, setShown] = useState(false)
  return (
    <Labelled label={label} hint={hint} problem={problem}>
      {(field) => (
        <div className="relative">
          <input
            {...field}
            {...rest}
            name="password"
            type={shown ? 'text' : 'password'}
            autoCapitalize="none"
            spellCheck={false}
            className={`${inputClass} pr-11!`}
          />
          <button
            type="button"
            aria-label={words.link.showPassword}
            aria-pressed={shown}
            title={words.link.showPassword}
            onClick={() => setShown(!shown)}
            className="absolute inset-y-1 right-1 grid w-9 place-items-center rounded-md text-soft hover:bg-sunken hover:text-ink"
          >
            <Icon name={shown ? 'hidden' : 'shown'} />
          </button>
        </div>
      )}
    </Labelled>
  )
}

export function NewPasswordField(props: Props) {
  return <PasswordField {...props} autoComplete="new-password" />
}
