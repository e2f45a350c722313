// Settings of the company, for both environments.

import { type FormEvent, useState } from 'react'
import type { Setting, SettingValue } from '../answers.ts'
import { post } from '../api.ts'
import { usePreferences, useWords } from '../preferences.tsx'
import { useAct, useAnswer, useHere } from '../session.tsx'
import { useTitle } from '../shell.tsx'
import { Button, Card, CheckField, ErrorNote, Note, PageTitle, SelectField, Skeleton, TextField } from '../ui/parts.tsx'
import { StatusMark } from '../ui/status.tsx'
import { Unsaved } from '../ui/unsaved.tsx'
import { ResultKeys } from './result-keys.tsx'

export function SettingsPage() {
  const words = useWords()
  useTitle(words.settings.title)
  const settings = useAnswer('@/settings')
  const [saved, setSaved] = useState(false)
  return (
    <>
      <PageTitle title={words.settings.title} lead={words.settings.lead} />
      <ErrorNote error={settings.error} again={() => settings.refetch()} />
      {settings.data === undefined ? (
        settings.error === null && <Skeleton lines={6} />
      ) : (
        <Form key={JSON.stringify(settings.data)} settings={settings.data.settings} saved={saved} onSaved={setSaved} />
      )}
      <ResultKeys />
    </>
  )
}

interface FormProps {
  settings: readonly Setting[]
  /** Known to the page: what was saved comes back as a new form. */
  saved: boolean
  onSaved(saved: boolean): void
}

type Values = Record<string, SettingValue>

function Form({ settings, saved, onSaved }: FormProps) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const { language } = usePreferences()
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  // A text is shown alone.
  const changeable = settings.filter(({ kind }) => kind !== 'text')
  const stored = () => Object.fromEntries(changeable.map(({ name, value }) => [name, value]))
  const [values, setValues] = useState<Values>(stored)
  const isChanged = changeable.some(({ name, value }) => values[name] !== value)
  const undo = () => setValues(stored())
  const forced = here.me.service.haip
  const haip = values.haip === true || forced
  const noteOf = (setting: Setting) => {
    if (setting.forced !== null) return words.settings.forced
    return setting.name === 'haip' && forced ? words.settings.haipOn : null
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setError(null)
    onSaved(false)
    setBusy(true)
    try {
      await act(() => post('@/settings', values, here.at()))
      onSaved(true)
    } catch (caught) {
      setError(caught)
    }
    setBusy(false)
  }
  return (
    <Card>
      <form onSubmit={submit}>
        <fieldset disabled={!here.mayChange} className="grid gap-x-10 xl:grid-cols-2">
          <legend className="sr-only">{words.settings.title}</legend>
          {settings.map((setting) => {
            // What is in effect is shown; what is stored is sent, and comes back when HAIP is off.
            const ruled = setting.forced ?? (haip ? setting.under_haip : null)
            return (
              <div key={setting.name} className="mb-5 border-b border-line pb-4 [&>p]:max-w-[62ch]">
                <SettingField
                  setting={setting}
                  value={ruled ?? values[setting.name] ?? setting.value}
                  disabled={setting.name === 'haip' ? forced : ruled !== null}
                  note={noteOf(setting)}
                  onChange={(value) => setValues((before) => ({ ...before, [setting.name]: value }))}
                />
                {setting.holder !== null && (
                  <p className="-mt-2 text-sm text-soft">
                    <span className="font-medium text-ink">{words.settings.holder}:</span> {setting.holder[language]}
                  </p>
                )}
              </div>
            )
          })}
        </fieldset>
        <ErrorNote error={error} />
        {saved && !isChanged && <Note tone="good">{words.saved}</Note>}
        {isChanged && <Unsaved />}
        {here.mayChange ? (
          <div
            className={`-mx-2 flex flex-wrap items-center gap-3 bg-surface px-2 py-3 ${isChanged ? 'sticky bottom-0' : ''}`}
          >
            <Button type="submit" tone="primary" busy={busy}>
              {words.save}
            </Button>
            {isChanged && (
              <>
                <Button onClick={undo}>{words.settings.undo}</Button>
                <StatusMark name="warning" word={words.settings.notSaved} />
              </>
            )}
          </div>
        ) : (
          <p className="text-soft">{words.needsRole}</p>
        )}
      </form>
    </Card>
  )
}

interface SettingFieldProps {
  setting: Setting
  value: SettingValue
  disabled: boolean
  /** Said instead of the explanation. */
  note: string | null
  onChange(value: SettingValue): void
}

/** Whatever the service says there is: a new setting needs nothing here. */
function SettingField({ setting, value, disabled, note, onChange }: SettingFieldProps) {
  const { language } = usePreferences()
  const field = { label: setting.label[language], hint: note ?? setting.explanation[language], disabled }
  if (setting.kind === 'text') {
    return (
      <div className="mb-4">
        <p className="mb-1 text-sm font-medium">{field.label}</p>
        <p className="break-words">{value === null ? setting.none?.[language] : String(value)}</p>
        <p className="mt-1 text-sm text-soft">{field.hint}</p>
      </div>
    )
  }
  if (setting.kind === 'switch') {
    return (
      <CheckField {...field} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
    )
  }
  if (setting.kind === 'number') {
    return (
      <TextField
        {...field}
        hint={`${field.hint} ${setting.min}–${setting.max}.`}
        type="number"
        min={setting.min}
        max={setting.max}
        required
        // An emptied field is no number: the text stays, and the browser asks for one before it is sent.
        value={String(value)}
        onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? '' : currentTarget.valueAsNumber)}
      />
    )
  }
  const choices = setting.choices ?? []
  return (
    <SelectField
      {...field}
      value={String(value)}
      onChange={({ currentTarget }) => onChange(choices[currentTarget.selectedIndex]?.value ?? value)}
    >
      {choices.map((choice) => (
        <option key={String(choice.value)} value={String(choice.value)}>
          {choice.label[language]}
        </option>
      ))}
    </SelectField>
  )
}
