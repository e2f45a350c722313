// The page of the company's settings, for both environments.

import { useId, useState } from 'react'
import type { Setting, SettingValue } from '../../../../wire/settings.ts'
import { post } from '../../api.ts'
import { usePreferences, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { Form } from '../../ui/form.tsx'
import { Button, Card, ErrorNote, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { Unsaved } from '../../ui/unsaved.tsx'
import { ResultKeys } from '../result-keys/result-keys.tsx'
import { ForHolders, InnerNumber, SettingRow } from './setting-row.tsx'

export function SettingsPage() {
  const words = useWords()
  useTitle(words.settings.title)
  const settings = useAnswer('@/settings')
  const [saved, setSaved] = useState(false)
  const [isUnfolded, setUnfolded] = useState(false)
  return (
    <>
      <PageTitle title={words.settings.title} lead={words.settings.lead} />
      <ErrorNote error={settings.error} again={() => settings.refetch()} />
      {settings.data === undefined ? (
        settings.error === null && <Skeleton lines={6} />
      ) : (
        <SettingsForm
          key={JSON.stringify(settings.data)}
          settings={settings.data.settings}
          {...{ saved, onSaved: setSaved, isUnfolded, setUnfolded }}
        />
      )}
    </>
  )
}

interface FormProps {
  settings: readonly Setting[]
  /** Kept by the page, because saving replaces the form. */
  saved: boolean
  onSaved(saved: boolean): void
  isUnfolded: boolean
  setUnfolded(isUnfolded: boolean): void
}

type Values = Record<string, SettingValue>

function SettingsForm({ settings, saved, onSaved, isUnfolded, setUnfolded }: FormProps) {
  const { words, language } = usePreferences()
  const here = useHere()
  const act = useAct()
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  // Texts are read-only.
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
  const submit = async () => {
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
  const fieldOf = (setting: Setting) => {
    // Shows the value in effect; sends the stored one, which applies again when HAIP is turned off.
    const overridden = setting.forced ?? (haip ? setting.under_haip : null)
    return {
      setting,
      value: overridden ?? values[setting.name] ?? setting.value,
      disabled: setting.name === 'haip' ? forced : overridden !== null,
      onChange: (value: SettingValue) => setValues((before) => ({ ...before, [setting.name]: value })),
    }
  }
  /**
   * The setting `hold_seconds` has an effect only if results are not kept, so it is shown below the setting for that.
   */
  const holdSeconds = settings.find(({ name }) => name === 'hold_seconds')
  const inGroup = (group: Setting['group']) =>
    settings.filter((setting) => setting.group === group && setting !== holdSeconds)
  const rowsOf = (group: Setting['group']) =>
    inGroup(group).map((setting, index, all) => {
      const field = fieldOf(setting)
      const isRepeated = all[index - 1]?.explanation[language] === setting.explanation[language]
      const passesOn = setting.name === 'content' && field.value === 'forward' && holdSeconds !== undefined
      return (
        <SettingRow
          key={setting.name}
          {...field}
          {...{ isRepeated, note: noteOf(setting) }}
          {...(passesOn ? { below: <InnerNumber {...fieldOf(holdSeconds)} /> } : {})}
        />
      )
    })
  const { groups, leads } = words.settings
  const top = useId()
  return (
    <>
      <Form id={top} onSubmit={submit} className="mb-5 space-y-5">
        {(['data', 'documents'] as const).map((group) => (
          <Card key={group}>
            <fieldset disabled={!here.mayChange}>
              <legend className="text-base font-semibold">{groups[group]}</legend>
              <p className="text-sm text-soft">{leads[group]}</p>
              {rowsOf(group)}
              <ForHolders settings={inGroup(group)} />
            </fieldset>
          </Card>
        ))}
      </Form>
      <ResultKeys />
      <Form onSubmit={submit} className="mt-5 space-y-5">
        <Card>
          <details open={isUnfolded} onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}>
            <summary className="min-h-8">
              <span className="text-base font-semibold">{groups.protocol}</span>
              <span className="ml-2 text-sm text-soft">{leads.protocol}</span>
            </summary>
            <fieldset aria-label={groups.protocol} disabled={!here.mayChange} className="mt-2">
              {rowsOf('protocol')}
              <ForHolders settings={inGroup('protocol')} />
            </fieldset>
          </details>
        </Card>
        {isChanged && <Unsaved />}
        {here.mayChange ? (
          <div className={isChanged || error !== null ? 'sticky bottom-0 z-1 -mx-2 bg-page px-2 py-3' : ''}>
            <ErrorNote error={error} />
            {saved && !isChanged && <Note tone="good">{words.saved}</Note>}
            {isChanged && (
              <div className="flex flex-wrap items-center gap-3">
                <Button type="submit" form={top} tone="primary" busy={busy}>
                  {words.save}
                </Button>
                <Button onClick={undo}>{words.settings.undo}</Button>
                <StatusMark name="warning" word={words.settings.notSaved} />
              </div>
            )}
          </div>
        ) : (
          <p className="text-soft">{words.needsRole}</p>
        )}
      </Form>
    </>
  )
}
