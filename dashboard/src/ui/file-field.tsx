// A file field in the reader's language, with drag and drop.

import { type ChangeEvent, type ComponentProps, type DragEvent, type ReactNode, useRef, useState } from 'react'
import { useWords } from '../preferences.tsx'
import { Icon } from './icon.tsx'
import { buttonClass, Labelled } from './parts.tsx'

interface FileFieldProps extends Omit<ComponentProps<'input'>, 'type' | 'onChange' | 'className' | 'children'> {
  label: string
  hint?: string | undefined
  onFiles(files: readonly File[]): void
  /** Shown instead of the file names: a picture of the chosen or saved file. */
  preview?: ReactNode
  /** A larger area to drop files on, for pages about one file. */
  isLarge?: boolean
  /** Called by the remove button. Without it, the button clears the choice. */
  onRemove?(): void
}

/**
 * A transparent input covers all of it, so that clicks, drops, keyboard and screen readers use the browser's own field.
 */
export function FileField({ label, hint, onFiles, preview, isLarge = false, onRemove, ...rest }: FileFieldProps) {
  const { fileField: words } = useWords()
  const input = useRef<HTMLInputElement>(null)
  const [names, setNames] = useState<readonly string[]>([])
  const [isOver, setOver] = useState(false)
  const take = (files: readonly File[]) => {
    setNames(files.map(({ name }) => name))
    onFiles(files)
  }
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    take([...(currentTarget.files ?? [])])
    // Clears the value, so that the same file can be chosen again after a change. A required field must keep it.
    if (rest.required !== true) currentTarget.value = ''
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const { files } = event.dataTransfer
    if (input.current === null || input.current.disabled || files.length === 0) return
    if (rest.required === true) input.current.files = files
    take([...files].slice(0, rest.multiple === true ? files.length : 1))
  }
  const remove = () => {
    if (input.current !== null) input.current.value = ''
    take([])
    onRemove?.()
    input.current?.focus()
  }
  const many = rest.multiple === true
  const hasSomething = names.length > 0 || onRemove !== undefined
  return (
    <Labelled label={label} hint={hint}>
      {(field) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: files are dropped on it; the input inside has the keyboard
        <div
          onDrop={drop}
          onDragOver={(event) => {
            event.preventDefault()
            setOver(true)
          }}
          onDragLeave={() => setOver(false)}
          className={`relative flex items-center gap-3 rounded-lg border border-dashed border-soft/60 px-2 py-2 text-sm ${isLarge ? 'min-h-40 flex-col justify-center text-center' : 'min-h-14'} hover:bg-sunken/50 ${isOver ? 'bg-accent-soft' : ''} has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent has-disabled:opacity-60 has-aria-invalid:border-bad`}
        >
          <input
            {...field}
            {...rest}
            ref={input}
            type="file"
            title={names.join(', ')}
            onChange={choose}
            className="absolute inset-0 cursor-pointer opacity-0"
          />
          <span aria-hidden="true" className={`${buttonClass()} shrink-0`}>
            {many ? words.chooseMany : words.choose}
          </span>
          <span
            className={`min-w-0 ${isLarge ? '' : 'flex-1'} ${names.length > 0 ? '[overflow-wrap:anywhere]' : 'text-soft'}`}
          >
            {preview ?? (names.length > 0 ? names.join(', ') : many ? words.dropMany : words.drop)}
          </span>
          {hasSomething && (
            <button
              type="button"
              aria-label={words.remove}
              title={words.remove}
              onClick={remove}
              className="relative grid size-9 shrink-0 place-items-center rounded-lg text-soft hover:bg-sunken hover:text-ink"
            >
              <Icon name="close" className="size-4" />
            </button>
          )}
        </div>
      )}
    </Labelled>
  )
}
