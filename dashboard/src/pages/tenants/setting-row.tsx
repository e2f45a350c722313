// One setting: what it is and what it changes for whom, and the field beside it.

import { useId } from 'react'
import type { Setting, SettingValue } from '../../../../wire/settings.ts'
import { usePreferences, useWords } from '../../preferences.tsx'
import { useFieldProblem } from '../../ui/field-problem.ts'
import { inputClass, Select, Switch } from '../../ui/parts.tsx'

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
  return (
    <div className="grid items-start gap-x-10 gap-y-3 border-b border-line py-5 last:border-0 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="max-w-[62ch]">
        <label htmlFor={id} className="text-sm font-medium">
          {setting.label[language]}
        </label>
        <div id={`${id}-hint`} className="mt-1 space-y-1 text-sm text-soft">
          <p>{note ?? setting.explanation[language]}</p>
          {setting.holder !== null && (
            <p>
              <span className="font-medium text-ink">{words.settings.holder}:</span> {setting.holder[language]}
            </p>
          )}
        </div>
      </div>
      <Field
        setting={setting}
        value={value}
        onChange={onChange}
        attributes={{ id, disabled, 'aria-describedby': `${id}-hint` }}
      />
    </div>
  )
}

interface FieldProps extends Pick<SettingRowProps, 'setting' | 'value' | 'onChange'> {
  attributes: { id: string; disabled: boolean; 'aria-describedby': string }
}

/** Whatever the service says there is: a new setting needs nothing here. */
function Field({ setting, value, onChange, attributes }: FieldProps) {
  const { language } = usePreferences()
  const { problem, watch } = useFieldProblem()
  if (setting.kind === 'text') {
    return (
      <output id={attributes.id} aria-describedby={attributes['aria-describedby']} className="break-words">
        {value === null ? setting.none?.[language] : String(value)}
      </output>
    )
  }
  if (setting.kind === 'switch') {
    return (
      <div className="lg:text-right">
        <Switch {...attributes} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
      </div>
    )
  }
  if (setting.kind === 'number') {
    return (
      <div>
        <input
          {...attributes}
          {...watch}
          aria-invalid={problem === null ? undefined : true}
          aria-describedby={`${attributes['aria-describedby']} ${attributes.id}-problem`}
          type="number"
          className={inputClass}
          min={setting.min}
          max={setting.max}
          required
          // An emptied field is no number: the text stays, and the form asks for one before it is sent.
          value={String(value)}
          onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? '' : currentTarget.valueAsNumber)}
        />
        <p id={`${attributes.id}-problem`} className="text-sm font-medium text-bad">
          {problem}
        </p>
        <p className="mt-1 text-sm text-soft">
          {setting.min}–{setting.max}
        </p>
      </div>
    )
  }
  const choices = setting.choices ?? []
  return (
    <Select
      {...attributes}
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
