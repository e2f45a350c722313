// The settings screen of a till, and the pad for its PIN.

import { button, el } from './dom.ts'
import { heading, noticeOf, type View } from './views.ts'
import type { Words } from './words/words.ts'

interface SettingsShown {
  readonly sound: boolean
  readonly canLock: boolean
  readonly display: 'none' | 'here' | 'away'
  readonly notice: string | null
}

interface SettingsTaps {
  back(): void
  setSound(on: boolean): void
  lock(): void
  openDisplay(): void
  connectDisplay(code: string): void
  disconnectDisplay(): void
  unpair(): void
}

export function settingsView(words: Words, shown: SettingsShown, taps: SettingsTaps): View {
  const sound = el('input', {
    type: 'checkbox',
    role: 'switch',
    id: 'sound',
    checked: shown.sound,
    'aria-describedby': 'sound-means',
  })
  sound.addEventListener('change', () => taps.setSound(sound.checked))
  // Takes two taps, so that a till is not unpaired by accident.
  const unpair = button(
    words.unpair,
    () => {
      if (unpair.textContent === words.unpairSure) taps.unpair()
      else unpair.textContent = words.unpairSure
    },
    { class: 'danger', id: 'unpair' },
  )
  unpair.addEventListener('blur', () => {
    unpair.textContent = words.unpair
  })
  return [
    heading(words.settings),
    noticeOf(shown.notice),
    el(
      'section',
      { class: 'setting row' },
      el(
        'div',
        {},
        el('label', { for: 'sound' }, words.sound),
        el('p', { id: 'sound-means', class: 'soft' }, words.soundMeans),
      ),
      sound,
    ),
    shown.canLock
      ? el(
          'section',
          { class: 'setting' },
          el('h2', {}, words.kiosk),
          el('p', { class: 'soft' }, words.kioskMeans),
          button(words.kioskStart, taps.lock, { class: 'quiet', id: 'lock' }),
        )
      : null,
    displaySetting(words, shown, taps),
    el('section', { class: 'setting' }, el('p', { class: 'soft' }, words.unpairMeans), unpair),
    el('div', { class: 'leave' }, button(words.back, taps.back, { id: 'back', class: 'quiet' })),
  ]
}

function displaySetting(words: Words, { display }: SettingsShown, taps: SettingsTaps): Node {
  const about = [
    el('h2', {}, words.display),
    el('p', { class: 'soft' }, words.displayMeans(`${location.host}/till#display`)),
  ]
  if (display !== 'none') {
    const status = el('p', { class: 'state', role: 'status' }, display === 'here' ? words.displayOn : words.displayAway)
    const again = display === 'away' ? button(words.displayOpen, taps.openDisplay, { class: 'quiet' }) : null
    const off = button(words.displayOff, taps.disconnectDisplay, { class: 'quiet', id: 'display-off' })
    return el('section', { class: 'setting' }, ...about, status, again, off)
  }
  const input = el('input', {
    id: 'display-code',
    maxlength: '16',
    placeholder: 'XXXX-XXXX',
    autocapitalize: 'characters',
    spellcheck: 'false',
    autocomplete: 'off',
    required: true,
  })
  const form = el(
    'form',
    { novalidate: true, class: 'inline' },
    el('label', { for: 'display-code' }, words.displayCode),
    input,
    el('button', { type: 'submit', class: 'quiet' }, words.displayConnect),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    taps.connectDisplay(input.value.trim())
  })
  return el(
    'section',
    { class: 'setting' },
    ...about,
    button(words.displayOpen, taps.openDisplay, { class: 'quiet' }),
    form,
  )
}

interface PinShown {
  readonly title: string
  readonly notice: string | null
  readonly hint: string | null
  readonly busy: boolean
}

const DIGITS_MIN = 4
const DIGITS_MAX = 8
/** A circle for each required digit, and a dot for each typed one. */
const dotsOf = (digits: string) => '●'.repeat(digits.length).padEnd(DIGITS_MIN, '○')

/** A pad like a card terminal's; a keyboard works too. Calls `enter` with the typed digits. */
export function pinView(words: Words, shown: PinShown, taps: { enter(digits: string): void; back(): void }): View {
  let digits = ''
  const dots = el('p', { class: 'dots', role: 'status', 'aria-label': words.pinEntered(0) }, dotsOf(digits))
  const done = button(words.pinDone, () => taps.enter(digits), { id: 'pin-done', disabled: true })
  function set(next: string): void {
    if (shown.busy || next.length > DIGITS_MAX) return
    digits = next
    dots.textContent = dotsOf(digits)
    dots.setAttribute('aria-label', words.pinEntered(digits.length))
    done.disabled = digits.length < DIGITS_MIN
  }
  const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((digit) => button(digit, () => set(digits + digit)))
  const remove = button('⌫', () => set(digits.slice(0, -1)), { 'aria-label': words.pinDelete })
  const pad = el(
    'div',
    { class: 'pad', role: 'group', 'aria-label': shown.title },
    ...keys,
    remove,
    button('0', () => set(`${digits}0`)),
    done,
  )
  const whole = el('div', { class: 'pin' }, dots, pad, button(words.back, taps.back, { class: 'plain' }))
  const title = heading(shown.title)
  for (const part of [title, whole])
    part.addEventListener('keydown', (event) => {
      if (/^\d$/.test(event.key)) set(digits + event.key)
      else if (event.key === 'Backspace') set(digits.slice(0, -1))
      else if (event.key === 'Enter' && !(event.target instanceof HTMLButtonElement) && !done.disabled)
        taps.enter(digits)
    })
  return [title, noticeOf(shown.notice), whole, shown.hint === null ? null : el('p', { class: 'soft' }, shown.hint)]
}
