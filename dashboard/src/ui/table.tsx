// A table that can be scrolled by keyboard. On a phone each row is a card with labelled cells.

import type { MouseEvent, ReactNode } from 'react'

export interface Column<Row> {
  head: string
  cell(row: Row): ReactNode
  /** A longer text: on a phone it is below its label, as wide as the card. */
  isLong?: boolean
}

const ROW =
  'group/row max-sm:relative border-line hover:bg-sunken/60 max-sm:block max-sm:rounded-2xl max-sm:border max-sm:bg-surface max-sm:p-4 sm:border-b sm:last:border-0'
/** On a phone the first cell is the card's title. A column without a heading has the row's buttons; a lone menu lies in the card's corner. */
const CELL =
  'align-middle sm:px-4 sm:py-2 sm:[&[data-head=""]>div]:flex sm:[&[data-head=""]>div]:justify-end sm:[&_:is(button,a.border)]:min-h-8 sm:[&_:is(button,a.border)]:px-3 [&_:is(button,a.border)]:whitespace-nowrap max-sm:flex max-sm:justify-between max-sm:gap-4 max-sm:py-1 max-sm:[&:has(>:empty)]:hidden max-sm:not-first:before:shrink-0 max-sm:not-first:before:text-soft max-sm:not-first:before:content-[attr(data-head)] max-sm:first:pb-2 max-sm:first:font-medium max-sm:[&:not(:first-child)>div]:text-right max-sm:[&[data-head=""]]:justify-start max-sm:[&[data-head=""]]:pt-3 max-sm:[&[data-head=""]]:before:hidden max-sm:[&:has([data-corner]:only-child)]:p-0!'

const LONG = 'max-sm:flex-col max-sm:gap-0.5! max-sm:[&:not(:first-child)>div]:text-left!'

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
  /** Called by a click anywhere in a row. The row also has a link, for keyboards and screen readers. */
  open?: (row: Row) => void
}) {
  return (
    <section
      aria-label={caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="relative overflow-x-auto rounded-2xl border-line sm:border sm:bg-surface"
    >
      <table className="w-full border-collapse text-left text-sm max-sm:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="max-sm:sr-only">
          <tr className="border-b border-line text-soft">
            {columns.map(({ head }) => (
              <th key={head} scope="col" className="px-4 py-2.5 font-medium whitespace-nowrap">
                {head === '' ? <span className="sr-only">…</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-sm:block max-sm:space-y-3">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className={`${ROW} ${open === undefined ? '' : 'cursor-pointer'}`}
              onClick={(event) => {
                if (isClickOnRow(event)) open?.(row)
              }}
            >
              {columns.map(({ head, cell, isLong = false }) => (
                <td key={head} data-head={head} className={isLong ? `${CELL} ${LONG}` : CELL}>
                  <div className="min-w-0 max-sm:[overflow-wrap:anywhere]">{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Whether a click opens the row: not on a link or button in it, and not at the end of a text selection. */
function isClickOnRow(event: MouseEvent): boolean {
  const { target } = event
  if (target instanceof Element && target.closest('a, button, summary, input, select') !== null) return false
  return window.getSelection()?.isCollapsed ?? true
}
