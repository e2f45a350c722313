// One setting: what it is, its value in words, and the field that changes it. A switch is its own field.

import { useId, useState } from 'react'
import type { Setting, SettingValue } from '../../../../wire/settings.ts'
import { usePreferences, useWords } from '../../preferences.tsx'
import { useFieldProblem } from '../../ui/field-problem.ts'
import { Button, inputClass, Select, Switch } from '../../ui/parts.tsx'

interface SettingRowProps {
  setting: Setting
  value: SettingValue
  disabled: boolean
  /** Said instead of the explanation. */
  note: string | null
  onChange(value: SettingValue): void
}

export function SettingRow({ setting, value, disabled, note, onChange }: SettingRowProps) {
  const words = useWords()
  const { language } = usePreferences()
  const id = useId()
  const [editing, setEditing] = useState(false)
  const label = setting.label[language]
  const isField = setting.kind === 'switch' || editing
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3 border-t border-line py-5 first-of-type:border-0">
      <div className="min-w-0 basis-80 grow lg:max-w-[62ch]">
        {isField ? (
          <label htmlFor={id} className="font-medium">
            {label}
          </label>
        ) : (
          <p className="font-medium">{label}</p>
        )}
        {setting.kind !== 'switch' && !editing && (
          <output id={`${id}-value`} className="mt-0.5 block font-medium text-accent wrap-anywhere">
            <ValueText setting={setting} value={value} />
          </output>
        )}
        {editing && (
          <div className="mt-2 max-w-sm">
            <Field
              setting={setting}
              value={value}
              onChange={onChange}
              attributes={{ id, disabled, 'aria-describedby': `${id}-hint` }}
            />
          </div>
        )}
        <div id={`${id}-hint`} className="mt-1.5 space-y-1 text-sm text-soft">
          <p>{note ?? setting.explanation[language]}</p>
          {setting.holder !== null && (
            <p>
              <span className="font-medium text-ink">{words.settings.holder}:</span> {setting.holder[language]}
            </p>
          )}
        </div>
      </div>
      {setting.kind === 'switch' ? (
        <Switch
          id={id}
          disabled={disabled}
          aria-describedby={`${id}-hint`}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      ) : (
        setting.kind !== 'text' &&
        !editing && (
          <Button
            aria-label={`${words.settings.edit}: ${label}`}
            aria-describedby={`${id}-value`}
            disabled={disabled}
            onClick={() => setEditing(true)}
          >
            {words.settings.edit}
          </Button>
        )
      )}
    </div>
  )
}

/** "30 days", "15 minutes", "Refuse the document". */
function ValueText({ setting, value }: Pick<SettingRowProps, 'setting' | 'value'>) {
  const { language } = usePreferences()
  if (setting.kind === 'choice')
    return setting.choices?.find((choice) => choice.value === value)?.label[language] ?? String(value)
  if (setting.kind === 'text') return value === null ? setting.none?.[language] : String(value)
  const number = Number(value)
  if (setting.unit?.en !== 'seconds' || number % 60 !== 0)
    return `${new Intl.NumberFormat(language).format(number)} ${setting.unit?.[language] ?? ''}`
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'minute', unitDisplay: 'long' }).format(number / 60)
}

interface FieldProps extends Pick<SettingRowProps, 'setting' | 'value' | 'onChange'> {
  attributes: { id: string; disabled: boolean; 'aria-describedby': string }
}

/** Whatever the service says there is: a new setting needs nothing here. */
function Field({ setting, value, onChange, attributes }: FieldProps) {
  const { language } = usePreferences()
  const { problem, watch } = useFieldProblem()
  if (setting.kind === 'number') {
    const unit = setting.unit?.[language] ?? ''
    return (
      <div>
        <span className="flex items-center gap-3">
          <span className="w-32">
            <input
              {...attributes}
              {...watch}
              aria-invalid={problem === null ? undefined : true}
              aria-describedby={`${attributes.id}-problem ${attributes.id}-range ${attributes['aria-describedby']}`}
              type="number"
              className={inputClass}
              // biome-ignore lint/a11y/noAutofocus: the person pressed Edit for this field
              autoFocus
              min={setting.min}
              max={setting.max}
              required
              // An emptied field is no number: the text stays, and the form asks for one before it is sent.
              value={String(value)}
              onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? '' : currentTarget.valueAsNumber)}
            />
          </span>
          {unit}
        </span>
        <p id={`${attributes.id}-problem`} className="text-sm font-medium text-bad">
          {problem}
        </p>
        <p id={`${attributes.id}-range`} className="mt-1 text-sm text-soft">
          {setting.min}–{setting.max} {unit}
        </p>
      </div>
    )
  }
  const choices = setting.choices ?? []
  return (
    <Select
      {...attributes}
      autoFocus
      value={String(value)}
      onChange={({ currentTarget }) => onChange(choices[currentTarget.selectedIndex]?.value ?? value)}
    >
      {choices.map((choice) => (
        <option key={String(choice.value)} value={String(choice.value)}>
          {choice.label[language]}
        </option>
      ))}
    </Select>
  )
}
