// A field for a day, or a day and a time: typed in the reader's format, or chosen from a calendar.

import { type ComponentProps, type FormEvent, useEffect, useRef, useState } from 'react'
import { usePreferences } from '../preferences.tsx'
import { Calendar } from './calendar.tsx'
import { Icon } from './icon.tsx'
import { readLocal, writeLocal } from './local-time.ts'
import { inputClass, Labelled } from './parts.tsx'

interface DateFieldProps extends Omit<ComponentProps<'input'>, 'type' | 'onChange' | 'className' | 'defaultValue'> {
  label: string
  hint?: string | undefined
  /** "2027-06-15", or "2027-06-15T14:30" with a time, in the reader's time zone. */
  value?: string
  defaultValue?: string
  min?: string
  max?: string
  withTime?: boolean
  /** Called with a date, or with '' if the field is empty. */
  onChange?(value: string): void
}

export function DateField(props: DateFieldProps) {
  const { label, hint, name, value, defaultValue = '', min, max, withTime = false, onChange, ...rest } = props
  const { language, words } = usePreferences()
  const [text, setText] = useState(writeLocal(value ?? defaultValue, language))
  const [isOpen, setOpen] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const read = text.trim() === '' ? '' : readLocal(text, withTime)
  // Another value or another language rewrites the text.
  useEffect(() => {
    setText((now) => {
      const known = readLocal(now, withTime)
      if (value !== undefined && value !== (known ?? '')) return writeLocal(value, language)
      return known === null ? now : writeLocal(known, language)
    })
  }, [value, language, withTime])
  useEffect(() => judge(input.current, { read, min, max }), [read, min, max])
  const write = (written: string) => {
    setText(written)
    const parsed = written.trim() === '' ? '' : readLocal(written, withTime)
    judge(input.current, { read: parsed, min, max })
    if (parsed !== null) onChange?.(parsed)
  }
  const leave = () => {
    if (read !== null) setText(writeLocal(read, language))
    // Within a form, the problem is shown when the form is sent.
    if (input.current?.form === null) input.current.checkValidity()
  }
  return (
    <Labelled label={label} hint={hint}>
      {({ onInput, ...field }) => (
        <div className="relative">
          <input
            {...field}
            {...rest}
            ref={input}
            type="text"
            autoComplete="off"
            placeholder={withTime ? words.dateField.exampleTime : words.dateField.example}
            value={text}
            onInput={(event: FormEvent<HTMLInputElement>) => {
              write(event.currentTarget.value)
              onInput(event)
            }}
            onBlur={leave}
            className={`${inputClass} pr-10!`}
          />
          {name !== undefined && <input type="hidden" name={name} value={read ?? ''} />}
          <button
            ref={button}
            type="button"
            aria-label={words.dateField.open}
            aria-describedby={`${field.id}-label`}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            disabled={rest.disabled}
            onClick={() => setOpen(!isOpen)}
            className="absolute inset-y-1 right-1 grid w-8 place-items-center rounded-md text-soft hover:bg-sunken hover:text-ink"
          >
            <Icon name="calendar" />
          </button>
          {isOpen && (
            <Calendar
              from={button}
              label={label}
              value={read ?? ''}
              min={min}
              max={max}
              withTime={withTime}
              onChoose={(chosen) => write(writeLocal(chosen, language))}
              onClose={() => setOpen(false)}
            />
          )}
        </div>
      )}
    </Labelled>
  )
}

/** Sets the field's validity; `field-problem.ts` has the words. */
function judge(input: HTMLInputElement | null, { read, min, max }: Judged): void {
  if (input === null) return
  const wrong =
    read === null ? 'notDate' : read === '' ? '' : isBelow(read, min) ? 'tooEarly' : isBelow(max, read) ? 'tooLate' : ''
  input.setCustomValidity(wrong)
  input.dataset.limit = (wrong === 'tooEarly' ? min : max) ?? ''
}

interface Judged {
  readonly read: string | null
  readonly min: string | undefined
  readonly max: string | undefined
}

const isBelow = (a: string | undefined, b: string | undefined) => a !== undefined && b !== undefined && a < b
