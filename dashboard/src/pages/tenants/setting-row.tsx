// One setting: its explanation on the left, its field on the right.

import { type ReactNode, useId } from 'react'
import type { Setting, SettingValue } from '../../../../wire/settings.ts'
import { usePreferences, useWords } from '../../preferences.tsx'
import { useFieldProblem } from '../../ui/field-problem.ts'
import { ChoiceCard, inputClass, Switch } from '../../ui/parts.tsx'

interface SettingRowProps {
  setting: Setting
  value: SettingValue
  disabled: boolean
  /** Replaces the explanation. */
  note: string | null
  onChange(value: SettingValue): void
  /** The row above has the same explanation. */
  isRepeated?: boolean
  /** Another setting that applies only with this value. */
  below?: ReactNode
}

export function SettingRow(props: SettingRowProps) {
  const { setting, value, disabled, note, onChange, isRepeated = false, below } = props
  const { language } = usePreferences()
  const words = useWords()
  const id = useId()
  const label = setting.label[language]
  const hints = words.settings.choiceHints[setting.name]
  const attributes = { id, disabled, 'aria-describedby': `${id}-hint` }
  return (
    <div
      className={`grid gap-x-10 gap-y-3 border-t border-line py-5 first-of-type:border-0 last:pb-0 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.1fr)] ${setting.kind === 'switch' ? 'max-lg:grid-cols-[minmax(0,1fr)_auto]' : ''}`}
    >
      <div>
        {setting.kind === 'choice' || setting.kind === 'text' ? (
          <p id={`${id}-label`} className="font-medium">
            {label}
          </p>
        ) : (
          <label htmlFor={id} className="font-medium">
            {label}
          </label>
        )}
        <div id={`${id}-hint`} className="mt-1 space-y-1 text-sm text-soft">
          {(note !== null || hints === undefined) && (
            <p className={isRepeated && note === null ? 'sr-only' : ''}>{note ?? setting.explanation[language]}</p>
          )}
        </div>
      </div>
      <div>
        {setting.kind === 'switch' && (
          <Switch
            {...attributes}
            checked={value === true}
            onChange={(event) => onChange(event.currentTarget.checked)}
          />
        )}
        {setting.kind === 'text' && (
          <p className="wrap-anywhere">{value === null ? setting.none?.[language] : String(value)}</p>
        )}
        {setting.kind === 'number' && (
          <NumberField setting={setting} value={value} onChange={onChange} attributes={attributes} />
        )}
        {setting.kind === 'choice' && (
          <div
            role="radiogroup"
            aria-labelledby={`${id}-label`}
            aria-describedby={`${id}-hint`}
            className="grid gap-2 sm:grid-cols-2"
          >
            {setting.choices?.map((choice) => (
              <ChoiceCard
                key={String(choice.value)}
                name={id}
                value={String(choice.value)}
                label={choice.label[language]}
                hint={hints?.[String(choice.value)]}
                checked={choice.value === value}
                disabled={disabled}
                onChange={() => onChange(choice.value)}
              />
            ))}
          </div>
        )}
        {below !== undefined && <div className="mt-4 rounded-lg bg-sunken p-4">{below}</div>}
      </div>
    </div>
  )
}

/** How a section affects the people who are verified, folded. */
export function ForHolders({ settings }: { settings: readonly Setting[] }) {
  const { language } = usePreferences()
  const words = useWords()
  const explained = settings.flatMap(({ name, label, holder }) => (holder === null ? [] : [{ name, label, holder }]))
  if (explained.length === 0) return null
  return (
    <details className="border-t border-line pt-4 text-sm">
      <summary className="min-h-6 text-accent">{words.settings.holder}</summary>
      <dl className="mt-3 max-w-[72ch] space-y-3">
        {explained.map(({ name, label, holder }) => (
          <div key={name}>
            <dt className="font-medium">{label[language]}</dt>
            <dd className="text-soft">{holder[language]}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

/** A setting that belongs to one value of another, shown below that. */
export function InnerNumber({ setting, value, disabled, onChange }: Omit<SettingRowProps, 'note'>) {
  const { language } = usePreferences()
  const id = useId()
  return (
    <div className="text-sm">
      <label htmlFor={id} className="mb-2 block font-medium">
        {setting.label[language]}
      </label>
      <NumberField
        setting={setting}
        value={value}
        onChange={onChange}
        attributes={{ id, disabled, 'aria-describedby': `${id}-hint` }}
      />
      <p id={`${id}-hint`} className="mt-2 text-soft">
        {setting.explanation[language]}
      </p>
    </div>
  )
}

interface FieldProps extends Pick<SettingRowProps, 'setting' | 'value' | 'onChange'> {
  attributes: { id: string; disabled: boolean; 'aria-describedby': string }
}

function NumberField({ setting, value, onChange, attributes }: FieldProps) {
  const { language } = usePreferences()
  const { problem, watch } = useFieldProblem()
  const unit = setting.unit?.[language] ?? ''
  const number = new Intl.NumberFormat(language)
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <input
          {...attributes}
          {...watch}
          aria-invalid={problem === null ? undefined : true}
          aria-describedby={`${attributes.id}-problem ${attributes.id}-range ${attributes['aria-describedby']}`}
          type="number"
          className={`${inputClass} w-28!`}
          min={setting.min}
          max={setting.max}
          required
          // An emptied field is not a number. The text stays, and the form reports it before sending.
          value={String(value)}
          onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? '' : currentTarget.valueAsNumber)}
        />
        {unit}
        <span id={`${attributes.id}-range`} className="text-sm text-soft">
          {number.format(setting.min ?? 0)}–{number.format(setting.max ?? 0)}
        </span>
      </span>
      <p id={`${attributes.id}-problem`} className="text-sm font-medium text-bad">
        {problem}
      </p>
    </>
  )
}
