// Chooses one of several options: side by side, or in a list.

import { SelectField } from './parts.tsx'

/** A closed set of options, each with its words. */
interface Choosing<T extends string> {
  label: string
  value: T
  words: Readonly<Record<T, string>>
  onChange(value: T): void
}

export function Segments<T extends string>(props: Choosing<T>) {
  const values = Object.keys(props.words) as T[]
  return (
    <fieldset className="mb-4 flex w-full rounded-lg bg-sunken p-1">
      <legend className="sr-only">{props.label}</legend>
      {values.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === props.value}
          onClick={() => props.onChange(one)}
          className={`min-h-8 grow rounded-md px-3 text-sm ${one === props.value ? 'bg-surface font-semibold shadow-sm dark:bg-line' : 'text-soft hover:text-ink'}`}
        >
          {props.words[one]}
        </button>
      ))}
    </fieldset>
  )
}

export function Choice<T extends string>(props: Choosing<T>) {
  const values = Object.keys(props.words) as T[]
  return (
    <SelectField
      label={props.label}
      value={props.value}
      onChange={(event) => props.onChange(values.find((one) => one === event.currentTarget.value) ?? props.value)}
    >
      {values.map((one) => (
        <option key={one} value={one}>
          {props.words[one]}
        </option>
      ))}
    </SelectField>
  )
}
