// A month to choose a day from, with the usual keys: arrows, Home, End, Page Up and Page Down.

import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { usePreferences } from '../preferences.tsx'
import { Icon } from './icon.tsx'
import { dayOf } from './local-time.ts'
import { usePlaced } from './menu.ts'
import { inputClass } from './parts.tsx'

interface CalendarProps {
  from: RefObject<HTMLButtonElement | null>
  label: string
  value: string
  min: string | undefined
  max: string | undefined
  withTime: boolean
  onChoose(value: string): void
  onClose(): void
}

const DAY_MS = 86_400_000
const dayText = (date: Date) => date.toISOString().slice(0, 10)
const plusDays = (day: string, days: number) => dayText(new Date(dayOf(day).getTime() + days * DAY_MS))

/** Returns the same day of another month, or that month's last day. */
function plusMonths(day: string, months: number): string {
  const date = dayOf(day)
  const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1))
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  return dayText(new Date(first.setUTCDate(Math.min(date.getUTCDate(), last))))
}

/** Monday is 0. */
const weekday = (day: string) => (dayOf(day).getUTCDay() + 6) % 7

/** Returns whole weeks that contain all days of the month. */
function weeksOf(month: string): string[][] {
  const first = `${month}-01`
  const start = plusDays(first, -weekday(first))
  const weeks = Array.from({ length: 6 }, (_, week) =>
    Array.from({ length: 7 }, (_, day) => plusDays(start, week * 7 + day)),
  )
  return weeks.filter((week) => week.some((day) => day.startsWith(month)))
}

const MOVES: Record<string, (day: string) => string> = {
  ArrowLeft: (day) => plusDays(day, -1),
  ArrowRight: (day) => plusDays(day, 1),
  ArrowUp: (day) => plusDays(day, -7),
  ArrowDown: (day) => plusDays(day, 7),
  Home: (day) => plusDays(day, -weekday(day)),
  End: (day) => plusDays(day, 6 - weekday(day)),
  PageUp: (day) => plusMonths(day, -1),
  PageDown: (day) => plusMonths(day, 1),
}

export function Calendar({ from, label, value, min, max, withTime, onChoose, onClose }: CalendarProps) {
  const { language, words } = usePreferences()
  const box = useRef<HTMLDivElement>(null)
  const [today] = useState(() =>
    new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 10),
  )
  const [at, setAt] = useState(value === '' ? today : value.slice(0, 10))
  usePlaced(true, { shown: box, from })
  // Counts moves by key only: a button that changes the month keeps the focus.
  const [moves, setMoves] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each move
  useEffect(() => box.current?.querySelector<HTMLElement>('[data-at]')?.focus(), [moves])
  useEffect(() => {
    const onPointer = ({ target }: PointerEvent) => {
      const isOurs = target instanceof Node && (box.current?.contains(target) || from.current?.contains(target))
      if (isOurs !== true) onClose()
    }
    addEventListener('pointerdown', onPointer)
    return () => removeEventListener('pointerdown', onPointer)
  }, [from, onClose])
  const close = () => {
    onClose()
    from.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close()
    else if (MOVES[event.key] === undefined || !(event.target as HTMLElement).hasAttribute('data-day')) return
    else {
      setAt(MOVES[event.key]?.(at) ?? at)
      setMoves(moves + 1)
    }
    event.preventDefault()
    event.stopPropagation()
  }
  const time = value.slice(11, 16)
  const choose = (day: string) => {
    onChoose(withTime ? `${day}T${time || '00:00'}` : day)
    close()
  }
  const isOut = (day: string) =>
    (min !== undefined && day < min.slice(0, 10)) || (max !== undefined && day > max.slice(0, 10))
  const format = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' })
    return (day: string) => format.format(dayOf(day))
  }
  const [monthName, dayName, weekdayName, weekdayLetter] = [
    format({ month: 'long', year: 'numeric' }),
    format({ dateStyle: 'full' }),
    format({ weekday: 'long' }),
    format({ weekday: 'short' }),
  ]
  const weeks = weeksOf(at.slice(0, 7))
  const turn = (months: number, name: string, sign: string) => (
    <button
      type="button"
      aria-label={name}
      onClick={() => setAt(plusMonths(at, months))}
      className="grid size-9 place-items-center rounded-lg text-soft hover:bg-sunken hover:text-ink"
    >
      <Icon name="next" className={`size-4 ${sign}`} />
    </button>
  )
  return (
    <div
      ref={box}
      role="dialog"
      popover="manual"
      aria-label={label}
      onKeyDown={onKeyDown}
      className="fixed m-0 rounded-xl border border-line bg-surface p-3 text-sm text-ink shadow-lg"
    >
      <div className="mb-1 flex items-center justify-between">
        {turn(-1, words.dateField.previous, 'rotate-180')}
        <span aria-live="polite" className="font-semibold">
          {monthName(at)}
        </span>
        {turn(1, words.dateField.next, '')}
      </div>
      <table>
        <thead>
          <tr>
            {weeks[0]?.map((day) => (
              <th key={day} scope="col" abbr={weekdayName(day)} className="py-1 text-xs font-normal text-soft">
                {weekdayLetter(day).slice(0, 2)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <td key={day} className="p-0">
                  <button
                    type="button"
                    data-day={day}
                    data-at={day === at ? '' : undefined}
                    tabIndex={day === at ? 0 : -1}
                    aria-label={dayName(day)}
                    aria-pressed={day === value.slice(0, 10)}
                    aria-current={day === today ? 'date' : undefined}
                    disabled={isOut(day)}
                    onClick={() => choose(day)}
                    className={`grid size-9 place-items-center rounded-lg tabular-nums hover:bg-sunken disabled:opacity-40 aria-pressed:bg-accent aria-pressed:text-accent-ink aria-[current=date]:font-bold ${day.startsWith(at.slice(0, 7)) ? '' : 'text-soft'}`}
                  >
                    {Number(day.slice(8))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {withTime && value !== '' && (
        <label className="mt-2 flex items-center justify-between gap-3 border-t border-line pt-3">
          {words.dateField.time}
          <input
            key={time}
            defaultValue={time}
            inputMode="numeric"
            maxLength={5}
            onChange={({ currentTarget }) => {
              if (/^([01]\d|2[0-3]):[0-5]\d$/.test(currentTarget.value))
                onChoose(`${value.slice(0, 10)}T${currentTarget.value}`)
            }}
            className={`${inputClass} w-20! tabular-nums`}
          />
        </label>
      )}
    </div>
  )
}
