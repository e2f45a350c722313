// One of two or three, side by side.

export function Segments<T extends string>(props: {
  label: string
  value: T
  words: Readonly<Record<T, string>>
  onChange(value: T): void
}) {
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
