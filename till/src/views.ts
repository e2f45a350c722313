// The till's screens: functions that turn content and tap handlers into elements.

import type { DeviceInfo } from '../../sdk/typescript/src/device/device-storage.ts'
import type { Payment } from './agreement.ts'
import type { Current } from './device/browser-storage.ts'
import { qrDrawing } from './display/qr-drawing.ts'
import { button, el } from './dom.ts'
import { outcomeMark } from './marks.ts'
import type { Outcome } from './outcome.ts'
import type { Recent } from './recent.ts'
import { labelOf, outcomeWord, type Titles, titleOf, type Words } from './words/words.ts'

export type View = readonly (Node | null)[]

export function pairView(
  words: Words,
  shown: { notice: string | null; code: string; busy: boolean },
  taps: { pair(code: string): void; scan: (() => void) | null },
): View {
  const input = el('input', {
    id: 'code',
    name: 'code',
    value: shown.code,
    maxlength: '32',
    placeholder: 'VD-XXXX-XXXX',
    autocomplete: 'off',
    autocapitalize: 'characters',
    spellcheck: 'false',
    required: true,
    'aria-describedby': 'hint',
  })
  const submit = el('button', { type: 'submit', disabled: shown.busy }, shown.busy ? words.pairing : words.pair)
  const form = el('form', { novalidate: true }, el('label', { for: 'code' }, words.pairLabel), input, submit)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (input.value.trim() !== '') taps.pair(input.value)
    else input.focus()
  })
  return [
    heading(words.pairTitle),
    noticeOf(shown.notice),
    el('p', { id: 'hint', class: 'soft' }, words.pairHint),
    form,
    taps.scan === null ? null : button(words.scan, taps.scan, { class: 'quiet' }),
  ]
}

export function scanView(words: Words, video: HTMLVideoElement, stop: () => void): View {
  return [heading(words.scan), video, button(words.stopScan, stop, { class: 'quiet' })]
}

export function chooseView(
  words: Words,
  shown: { device: DeviceInfo; titles: Titles; notice: string | null; recent: readonly Recent[] },
  taps: { choose(template: string): void },
): View {
  const choices = [...new Set(shown.device.allowed_templates)].map((template) =>
    button(titleOf(words, shown.titles, template), () => taps.choose(template), { 'data-template': template }),
  )
  return [
    heading(words.choose),
    noticeOf(shown.notice),
    el('div', { class: 'choices' }, ...choices),
    shown.recent.length === 0 ? null : recentView(words, shown.titles, shown.recent),
  ]
}

function recentView(words: Words, titles: Titles, recent: readonly Recent[]): Node {
  const rows = recent.map(({ reference, at, outcome, template }) =>
    el(
      'li',
      { 'data-recent': outcome },
      outcomeMark(outcome, 'small-mark'),
      el('span', {}, outcomeWord(words, template, outcome)),
      el('span', { class: 'asked' }, template === null ? '' : titleOf(words, titles, template)),
      el('time', {}, new Date(at).toLocaleTimeString(words.locale, { hour: '2-digit', minute: '2-digit' })),
      el('code', {}, reference),
    ),
  )
  return el('details', { class: 'recent' }, el('summary', {}, words.recent), el('ol', {}, ...rows))
}

export function startingView(words: Words, title: string): View {
  return [heading(title), el('p', { class: 'soft' }, words.starting)]
}

const CENTS = { minimumFractionDigits: 2 }

export interface Field {
  readonly name: string
  readonly as: 'text' | 'number'
}

/** The fields that a cashier fills in for what the guest confirms. */
export function fieldsView(
  words: Words,
  shown: { title: string; fields: readonly Field[]; notice: string | null },
  taps: { ask(values: Record<string, string | number>): void; back(): void },
): View {
  const inputs = shown.fields.map(({ name, as }) => ({
    name,
    as,
    input: el('input', {
      id: `field-${name}`,
      name,
      required: true,
      maxlength: '200',
      autocomplete: 'off',
      ...(as === 'number' ? { inputmode: 'decimal' } : {}),
      'aria-describedby': `wrong-${name}`,
      ...(name === 'amount' ? { placeholder: (0).toLocaleString(words.locale, CENTS) } : {}),
    }),
    wrong: el('p', { id: `wrong-${name}`, class: 'wrong', role: 'alert' }),
  }))
  const form = el(
    'form',
    { novalidate: true },
    ...inputs.flatMap(({ name, input, wrong }) => [
      el('label', { for: `field-${name}` }, words.fields[name] ?? name.replaceAll('_', ' ')),
      input,
      wrong,
    ]),
    el('button', { type: 'submit' }, words.askWith),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const values = inputs.map(({ name, as, input }) => [name, typedValue(input.value, as)] as const)
    const missing = values.findIndex(([, value]) => value === null)
    if (missing < 0) return taps.ask(Object.fromEntries(values) as Record<string, string | number>)
    for (const [at, { name, input, wrong }] of inputs.entries()) {
      input.setAttribute('aria-invalid', String(at === missing))
      wrong.textContent = at === missing ? fieldProblem(words, name) : ''
    }
    inputs[missing]?.input.focus()
  })
  return [heading(shown.title), noticeOf(shown.notice), form, button(words.cancel, taps.back, { class: 'quiet' })]
}

const fieldProblem = (words: Words, name: string): string =>
  name === 'amount' ? words.amountMissing((12.5).toLocaleString(words.locale, CENTS)) : words.notAccepted

/** Returns null if it is invalid. Accepts a decimal comma. */
export function typedValue(typed: string, as: Field['as']): string | number | null {
  const text = typed.trim()
  if (as === 'text') return text === '' ? null : text
  return /^\d{1,12}(?:[.,]\d{1,4})?$/.test(text) ? Number(text.replace(',', '.')) : null
}

/** `agreement`: null if not known yet. `elsewhere`: the code is on the customer screen. */
export function askView(
  words: Words,
  shown: { current: Current; title: string; agreement: readonly string[] | null; time: string; elsewhere: boolean },
  taps: { cancel(): void; showHere(): void },
): View {
  const time = el('p', { id: 'time', class: 'soft time' }, shown.time)
  const shownElsewhere = [
    el('p', { class: 'elsewhere' }, words.onDisplay),
    time,
    button(words.showHere, taps.showHere, { class: 'quiet' }),
  ]
  const shownHere = [
    el('p', {}, words.show),
    el('div', { class: 'code' }, qrDrawing(shown.current.walletUri, words.code)),
    time,
  ]
  const notYet = [el('p', { class: 'soft' }, words.starting), time]
  return [
    heading(shown.title),
    ...agreementView(shown.agreement ?? []),
    ...(shown.agreement === null ? notYet : shown.elsewhere ? shownElsewhere : shownHere),
    button(words.cancel, taps.cancel, { class: 'quiet' }),
  ]
}

export const agreementView = (lines: readonly string[]) => lines.map((line) => el('p', { class: 'agreement' }, line))

interface ShownOutcome {
  readonly template: string
  readonly title: string
  readonly outcome: Outcome
  readonly agreement: readonly string[]
  /** The paid payment; null: the guest confirmed no payment, or it was not paid. */
  readonly paid: Payment | null
  readonly seconds: number
  readonly portrait: string | null
}

export const outcomeTitle = (words: Words, { template, outcome, paid }: ShownOutcome): string =>
  paid === null ? outcomeWord(words, template, outcome.kind) : words.paid

/** A completed payment no longer says "Pay". */
const titleView = (words: Words, { title, agreement, paid, outcome }: ShownOutcome) =>
  paid === null
    ? [el('p', { class: 'title' }, title), ...agreementView(agreement)]
    : [
        el('p', { class: 'amount' }, paid.amount),
        el('p', { class: 'title' }, words.paidTo(paid.payee)),
        ...outcome.affirmed.map((sentence) => el('p', { class: 'agreement' }, sentence)),
      ]

export function outcomeView(words: Words, shown: ShownOutcome, taps: { done(): void }): View {
  const { outcome } = shown
  const facts = outcome.facts.flatMap(({ label, value }) => [el('dt', {}, label), el('dd', {}, value)])
  const left = el('progress', { id: 'left', class: 'left', max: String(shown.seconds), 'aria-hidden': 'true' })
  return [
    el(
      'section',
      { class: `outcome ${outcome.kind}`, 'data-outcome': outcome.kind },
      outcomeMark(outcome.kind, 'mark'),
      el('h1', { tabindex: '-1', class: 'word' }, outcomeTitle(words, shown)),
      ...titleView(words, shown),
      outcome.reason === null ? null : el('p', { class: 'reason' }, outcome.reason),
      shown.portrait === null
        ? null
        : el('img', { class: 'portrait', src: shown.portrait, alt: labelOf(words, 'portrait') }),
      shown.portrait === null ? null : el('p', { class: 'compare' }, words.comparePhoto),
      facts.length === 0 ? null : el('dl', {}, ...facts),
      left,
    ),
    button(words.again, taps.done),
  ]
}

export const heading = (text: string) => el('h1', { tabindex: '-1' }, text)
export const noticeOf = (text: string | null) =>
  text === null ? null : el('p', { class: 'notice', role: 'alert' }, text)
