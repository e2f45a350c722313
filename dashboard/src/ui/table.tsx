// A real table, which scrolls sideways on a phone and can be reached by keyboard.

import type { MouseEvent, ReactNode } from 'react'

export interface Column<Row> {
  head: string
  cell(row: Row): ReactNode
}

export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  open,
}: {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  /** What a click anywhere in a row does. The row has a link to the same place, for everybody else. */
  open?: (row: Row) => void
}) {
  return (
    <section
      aria-label={caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="relative overflow-x-auto rounded-2xl border border-line bg-surface"
    >
      <table className="w-full border-collapse text-left text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line text-soft">
            {columns.map(({ head }) => (
              <th key={head} scope="col" className="px-4 py-3 font-medium whitespace-nowrap">
                {head === '' ? <span className="sr-only">…</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className={`border-b border-line last:border-0 hover:bg-sunken/60 ${open === undefined ? '' : 'cursor-pointer'}`}
              onClick={(event) => {
                if (isClickOnRow(event)) open?.(row)
              }}
            >
              {columns.map(({ head, cell }) => (
                <td key={head} className="px-4 py-3 align-middle">
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Not on a link or button in it, and not the end of marking a text. */
function isClickOnRow(event: MouseEvent): boolean {
  const { target } = event
  if (target instanceof Element && target.closest('a, button, summary, input, select') !== null) return false
  return window.getSelection()?.isCollapsed ?? true
}
