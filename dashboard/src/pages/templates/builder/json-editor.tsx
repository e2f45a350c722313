// An editor for JSON with numbered lines. A fault names its line and links to it.

import { type ReactNode, type UIEvent, useId, useRef } from 'react'
import { useBuilderWords } from './words.ts'

export interface LineFault {
  readonly line: number
  readonly text: ReactNode
}

interface Props {
  value: string
  onChange(value: string): void
  fault: LineFault | null
}

export function JsonEditor({ value, onChange, fault }: Props) {
  const words = useBuilderWords()
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
  const lines = value.split('\n')
  const follow = (event: UIEvent<HTMLTextAreaElement>) => {
    gutter.current?.scrollTo({ top: event.currentTarget.scrollTop })
  }
  const reveal = (line: number) => {
    const height = area.current === null ? 0 : area.current.scrollHeight / lines.length
    area.current?.scrollTo({ top: (line - 4) * height })
  }
  /** Selects the line, so that it is visible. */
  const goTo = (line: number) => {
    const begin = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0)
    area.current?.focus()
    area.current?.setSelectionRange(begin, begin + (lines[line - 1]?.length ?? 0))
    reveal(line)
  }
  return (
    <>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {words.jsonLabel}
      </label>
      <div
        className={`flex h-[26rem] overflow-hidden rounded-lg border font-mono text-[13px] leading-5 focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent ${fault === null ? 'border-soft/60' : 'border-bad'}`}
      >
        <div
          ref={gutter}
          aria-hidden="true"
          className="shrink-0 overflow-hidden bg-sunken py-2 text-right text-soft tabular-nums select-none"
        >
          {lines.map((_, index) => (
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key
              key={index}
              data-line={index + 1}
              className={`px-2 ${fault?.line === index + 1 ? 'bg-bad-soft font-semibold text-bad' : ''}`}
            >
              {index + 1}
            </div>
          ))}
        </div>
        <textarea
          ref={area}
          id={id}
          value={value}
          wrap="off"
          spellCheck={false}
          autoComplete="off"
          aria-invalid={fault !== null}
          aria-describedby={`${id}-hint ${id}-fault`}
          onScroll={follow}
          // Not while the person types, because the fault may be far below the caret until the text is complete.
          onBlur={() => fault !== null && reveal(fault.line)}
          onChange={(event) => onChange(event.currentTarget.value)}
          className="min-w-0 grow resize-none bg-surface px-3 py-2 text-ink outline-none"
        />
      </div>
      <div id={`${id}-fault`} role="status" className="mt-2 text-sm text-bad">
        {fault !== null && (
          <p>
            <button type="button" className="font-medium underline" onClick={() => goTo(fault.line)}>
              {words.line(fault.line)}
            </button>
            : {fault.text}
          </p>
        )}
      </div>
      <p id={`${id}-hint`} className="mt-1 mb-6 text-sm text-soft">
        {words.jsonHint}
      </p>
    </>
  )
}
