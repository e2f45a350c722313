// Settings of the company, for both environments.

import { type FormEvent, useState } from 'react'
import type { Settings } from '../answers.ts'
import { post } from '../api.ts'
import { useWords } from '../preferences.tsx'
import { useAct, useAnswer, useHere } from '../session.tsx'
import { useTitle } from '../shell.tsx'
import { Button, Card, CheckField, ErrorNote, Note, PageTitle, SelectField, Skeleton, TextField } from '../ui/parts.tsx'

export function SettingsPage() {
  const words = useWords()
  useTitle(words.settings.title)
  const settings = useAnswer('@/settings')
  const [saved, setSaved] = useState(false)
  return (
    <>
      <PageTitle title={words.settings.title} />
      <ErrorNote error={settings.error} again={() => settings.refetch()} />
      {settings.data === undefined ? (
        settings.error === null && <Skeleton lines={6} />
      ) : (
        <Form key={JSON.stringify(settings.data)} settings={settings.data} saved={saved} onSaved={setSaved} />
      )}
    </>
  )
}

interface FormProps {
  settings: Settings
  /** Known to the page: what was saved comes back as a new form. */
  saved: boolean
  onSaved(saved: boolean): void
}

function Form({ settings, saved, onSaved }: FormProps) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const [error, setError] = useState<unknown>(null)
  const [haip, setHaip] = useState(settings.haip)
  const [httpsOnly, setHttpsOnly] = useState(settings.live_webhooks_https_only)
  const forced = here.me.service.haip
  const bound = haip || forced
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const text = (name: string, fallback: string) => String(fields.get(name) ?? fallback)
    setError(null)
    onSaved(false)
    const change = {
      retention_days: Number(text('retention_days', '')),
      wallet_rejection_status: Number(text('wallet_rejection_status', '')),
      status_policy_test: text('status_policy_test', ''),
      status_policy_live: text('status_policy_live', ''),
      haip,
      client_id_prefix: text('client_id_prefix', settings.client_id_prefix),
      response_mode: text('response_mode', settings.response_mode),
      live_webhooks_https_only: httpsOnly,
    }
    try {
      await act(() => post('@/settings', change, here.at()))
      onSaved(true)
    } catch (caught) {
      setError(caught)
    }
  }
  const t = words.settings
  const policies = ['require', 'prefer'] as const
  return (
    <Card>
      <form onSubmit={submit} className="max-w-xl">
        <fieldset disabled={!here.mayChange}>
          <legend className="sr-only">{t.title}</legend>
          <TextField
            label={t.retention}
            hint={t.retentionHint}
            name="retention_days"
            type="number"
            min={1}
            max={3650}
            defaultValue={settings.retention_days}
            required
          />
          <SelectField
            label={t.rejection}
            name="wallet_rejection_status"
            defaultValue={settings.wallet_rejection_status}
          >
            {[200, 400].map((status) => (
              <option key={status} value={status}>
                {t.rejections[status]}
              </option>
            ))}
          </SelectField>
          {(['test', 'live'] as const).map((environment) => (
            <SelectField
              key={environment}
              label={environment === 'test' ? t.statusTest : t.statusLive}
              name={`status_policy_${environment}`}
              defaultValue={settings[`status_policy_${environment}`]}
            >
              {policies.map((policy) => (
                <option key={policy} value={policy}>
                  {t.policies[policy]}
                </option>
              ))}
            </SelectField>
          ))}
          <CheckField
            label={t.haip}
            checked={bound}
            disabled={forced}
            onChange={(event) => setHaip(event.currentTarget.checked)}
          />
          {/* HAIP decides the two below: what is in effect is shown, what is stored comes back when it is off. */}
          {forced && <p className="mb-4 text-sm text-soft">{t.haipOn}</p>}
          <SelectField
            label={t.clientId}
            name="client_id_prefix"
            key={`client_id_prefix ${bound}`}
            defaultValue={bound ? 'x509_hash' : settings.client_id_prefix}
            disabled={bound}
          >
            <option value="x509_hash">x509_hash</option>
            <option value="x509_san_dns">x509_san_dns</option>
          </SelectField>
          <SelectField
            label={t.responseMode}
            name="response_mode"
            key={`response_mode ${bound}`}
            defaultValue={bound ? 'direct_post.jwt' : settings.response_mode}
            disabled={bound}
          >
            {(['direct_post.jwt', 'direct_post'] as const).map((mode) => (
              <option key={mode} value={mode}>
                {t.modes[mode]}
              </option>
            ))}
          </SelectField>
          <CheckField
            label={t.httpsOnly}
            checked={httpsOnly}
            onChange={(event) => setHttpsOnly(event.currentTarget.checked)}
          />
        </fieldset>
        <ErrorNote error={error} />
        {saved && <Note tone="good">{words.saved}</Note>}
        {here.mayChange ? (
          <Button type="submit" tone="primary">
            {words.save}
          </Button>
        ) : (
          <p className="text-soft">{words.needsRole}</p>
        )}
      </form>
    </Card>
  )
}
