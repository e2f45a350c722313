// Settings of the company, for both environments.

import { useState } from 'react'
import type { Setting, SettingValue } from '../../../../wire/settings.ts'
import { post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { Form } from '../../ui/form.tsx'
import { Button, Card, ErrorNote, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { Unsaved } from '../../ui/unsaved.tsx'
import { ResultKeys } from '../result-keys/result-keys.tsx'
import { SettingRow } from './setting-row.tsx'

/** In this order; the last is behind a tap. */
const GROUPS = ['data', 'documents', 'protocol'] as const

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
      <div className="mt-5">
        <ResultKeys />
      </div>
    </>
  )
}

interface FormProps {
  settings: readonly Setting[]
  /** Known to the page: what was saved comes back as a new form. */
  saved: boolean
  onSaved(saved: boolean): void
  isUnfolded: boolean
  setUnfolded(isUnfolded: boolean): void
}

type Values = Record<string, SettingValue>

function SettingsForm({ settings, saved, onSaved, isUnfolded, setUnfolded }: FormProps) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
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
  const rowsOf = (group: Setting['group']) =>
    settings
      .filter((setting) => setting.group === group)
      .map((setting) => {
        // What is in effect is shown; what is stored is sent, and comes back when HAIP is off.
        const ruled = setting.forced ?? (haip ? setting.under_haip : null)
        return (
          <SettingRow
            key={setting.name}
            setting={setting}
            value={ruled ?? values[setting.name] ?? setting.value}
            disabled={setting.name === 'haip' ? forced : ruled !== null}
            note={noteOf(setting)}
            onChange={(value) => setValues((before) => ({ ...before, [setting.name]: value }))}
          />
        )
      })
  const { groups, leads } = words.settings
  return (
    <Form onSubmit={submit} className="space-y-5">
      {GROUPS.map((group) => (
        <Card key={group}>
          {group === 'protocol' ? (
            <details open={isUnfolded} onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}>
              <summary className="min-h-10 py-1">
                <span className="text-base font-semibold">{groups[group]}</span>
                <span className="mt-1 block text-sm text-soft">{leads[group]}</span>
              </summary>
              <fieldset aria-label={groups[group]} disabled={!here.mayChange} className="mt-2">
                {rowsOf(group)}
              </fieldset>
            </details>
          ) : (
            <fieldset disabled={!here.mayChange}>
              <legend className="text-base font-semibold">{groups[group]}</legend>
              <p className="text-sm text-soft">{leads[group]}</p>
              {rowsOf(group)}
            </fieldset>
          )}
        </Card>
      ))}
      {isChanged && <Unsaved />}
      {here.mayChange ? (
        <div className={isChanged || error !== null ? 'sticky bottom-0 z-1 -mx-2 bg-page px-2 py-3' : ''}>
          <ErrorNote error={error} />
          {saved && !isChanged && <Note tone="good">{words.saved}</Note>}
          {isChanged && (
            <div className="flex flex-wrap items-center gap-3">
              <Button type="submit" tone="primary" busy={busy}>
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
  )
}
