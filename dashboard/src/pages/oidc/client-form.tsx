// What can be said of an OpenID client, for a new one and for one that is there.

import { type FormEvent, useState } from 'react'
import type { OidcClient } from '../../../../wire/oidc-clients.ts'
import { post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useSubmit } from '../../submit.ts'
import { titleOf } from '../../template-titles.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { AreaField, Button, CheckField, ErrorNote, Note, SelectField, Skeleton, TextField } from '../../ui/parts.tsx'

interface Props {
  /** null: a new one. */
  readonly client: OidcClient | null
  onClose(): void
  onDone(secret: string | null): void
}

export function ClientForm({ client, onClose, onDone }: Props) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const { busy, error, run } = useSubmit()
  const [problem, setProblem] = useState<string | null>(null)
  const [unsaved, setUnsaved] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const form = event.currentTarget
    const fields = new FormData(form)
    setProblem(null)
    await run(async () => {
      const terms = termsOf(fields)
      const answer = await act(() =>
        client === null
          ? post('@/clients', { ...terms, auth_method: String(fields.get('auth_method')) }, here.at())
          : post('@/clients/:id', terms, here.at({ id: client.id })),
      )
      if (answer.outcome === 'done') return onDone(answer.secret)
      setProblem(words.clients.problems[answer.problem])
      const wrong = form.querySelector(`[name=${WRONG_FIELDS[answer.problem] ?? 'name'}]`)
      if (wrong instanceof HTMLElement) wrong.focus()
    })
  }
  return (
    <Dialog title={client === null ? words.clients.create : client.name} onClose={onClose} unsaved={unsaved} wide>
      <Form onSubmit={submit} onChange={() => setUnsaved(true)}>
        <Fields client={client} />
        <DialogFoot
          note={
            <>
              <ErrorNote error={error} />
              {problem !== null && <Note tone="bad">{problem}</Note>}
            </>
          }
        >
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {client === null ? words.clients.create : words.clients.save}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

/** Where to fix it: the form is longer than a window. */
const WRONG_FIELDS: Readonly<Record<string, string>> = {
  redirect_uri_malformed: 'redirect_uris',
  redirect_uri_not_https: 'redirect_uris',
  redirect_uri_count: 'redirect_uris',
  template_unknown: 'template',
  template_count: 'template',
  default_not_allowed: 'default_template',
  subject_claims: 'subject_mode',
  unconfirmed_in_live: 'cross_device',
  jwks: 'jwks',
  request_uri: 'request_uris',
  fapi2: 'profile',
}

/** One a line; empty lines are nobody's. */
const lines = (text: FormDataEntryValue | null, separator: RegExp) =>
  String(text ?? '')
    .split(separator)
    .map((line) => line.trim())
    .filter((line) => line !== '')

function termsOf(fields: FormData) {
  const template = String(fields.get('default_template') ?? '')
  const jwks = String(fields.get('jwks') ?? '').trim()
  return {
    name: String(fields.get('name')).trim(),
    redirect_uris: lines(fields.get('redirect_uris'), /\n/),
    templates: fields.getAll('template').map(String),
    default_template: template === '' ? null : template,
    subject_mode: String(fields.get('subject_mode')),
    subject_claims: lines(fields.get('subject_claims'), /\s+/),
    require_true: fields.has('require_true'),
    vp_data: fields.has('vp_data'),
    verified_claims: fields.has('verified_claims'),
    claims_in_id_token: fields.has('claims_in_id_token'),
    id_token_alg: String(fields.get('id_token_alg')),
    remember_minutes: Number(fields.get('remember_minutes')),
    cross_device: String(fields.get('cross_device')),
    jwks: jwks === '' ? null : jwks,
    request_uris: lines(fields.get('request_uris'), /\n/),
    profile: String(fields.get('profile')),
  }
}

function Fields({ client }: Pick<Props, 'client'>) {
  const words = useWords()
  const { clients } = words
  const here = useHere()
  const templates = useAnswer('@/templates')
  const [mode, setMode] = useState<OidcClient['subject_mode']>(client?.subject_mode ?? 'ephemeral')
  const [method, setMethod] = useState<OidcClient['auth_method']>(client?.auth_method ?? 'client_secret')
  if (templates.data === undefined) return <Skeleton lines={6} />
  const known = templates.data.data
  return (
    <>
      <TextField
        label={clients.name}
        hint={clients.nameHint}
        name="name"
        defaultValue={client?.name ?? ''}
        maxLength={here.me.terms.name_length_max}
        required
      />
      <AreaField
        label={clients.redirects}
        hint={clients.redirectsHint}
        name="redirect_uris"
        defaultValue={client?.redirect_uris.join('\n') ?? ''}
        rows={2}
        spellCheck={false}
        required
      />
      <fieldset className="mb-4">
        <legend className="mb-2 text-sm font-medium">{clients.templates}</legend>
        <div className="sm:columns-2">
          {known.map((template) => (
            <CheckField
              key={template.key}
              name="template"
              value={template.key}
              label={titleOf(words, template)}
              defaultChecked={
                client === null ? template.key === 'age_over_18' : client.templates.includes(template.key)
              }
            />
          ))}
        </div>
      </fieldset>
      <div className="gap-x-5 sm:grid sm:grid-cols-2 sm:items-end">
        <SelectField
          label={clients.defaultTemplate}
          name="default_template"
          defaultValue={client === null ? 'age_over_18' : (client.default_template ?? '')}
        >
          <option value="">{clients.none}</option>
          {known.map((template) => (
            <option key={template.key} value={template.key}>
              {titleOf(words, template)}
            </option>
          ))}
        </SelectField>
        {client === null && (
          <SelectField
            label={clients.authMethod}
            name="auth_method"
            value={method}
            onChange={(event) => setMethod(event.currentTarget.value as OidcClient['auth_method'])}
          >
            {Object.entries(clients.authMethods).map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </SelectField>
        )}
      </div>
      <AreaField
        label={clients.jwks}
        hint={clients.jwksHint}
        name="jwks"
        defaultValue={client?.jwks ?? ''}
        rows={method === 'private_key_jwt' ? 4 : 2}
        spellCheck={false}
        required={method === 'private_key_jwt'}
      />
      <SelectField
        label={clients.profile}
        hint={clients.profileHint}
        name="profile"
        defaultValue={client?.profile ?? 'openid'}
      >
        {Object.entries(clients.profiles).map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </SelectField>
      <AreaField
        label={clients.requestUris}
        hint={clients.requestUrisHint}
        name="request_uris"
        defaultValue={client?.request_uris.join('\n') ?? ''}
        rows={2}
        spellCheck={false}
      />
      <div className="gap-x-5 sm:grid sm:grid-cols-2 sm:items-end">
        <SelectField
          label={clients.subject}
          name="subject_mode"
          value={mode}
          onChange={(event) => setMode(event.currentTarget.value as OidcClient['subject_mode'])}
        >
          {Object.entries(clients.subjects).map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </SelectField>
        <SelectField label={clients.alg} name="id_token_alg" defaultValue={client?.id_token_alg ?? 'RS256'}>
          <option value="RS256">RS256</option>
          <option value="ES256">ES256</option>
        </SelectField>
      </div>
      {mode !== 'ephemeral' && (
        <TextField
          label={clients.subjectClaims}
          hint={clients.subjectClaimsHint}
          name="subject_claims"
          defaultValue={client?.subject_claims.join(' ') ?? ''}
          required
        />
      )}
      <CrossDevice client={client} />
      <CheckField name="require_true" label={clients.requireTrue} defaultChecked={client?.require_true ?? false} />
      <CheckField name="vp_data" label={clients.vpData} defaultChecked={client?.vp_data ?? false} />
      <CheckField
        name="verified_claims"
        label={clients.verifiedClaims}
        defaultChecked={client?.verified_claims ?? false}
      />
      <CheckField
        name="claims_in_id_token"
        label={clients.claimsInIdToken}
        defaultChecked={client?.claims_in_id_token ?? false}
      />
      <TextField
        label={clients.remember}
        name="remember_minutes"
        type="number"
        min={0}
        max={60}
        defaultValue={client?.remember_minutes ?? 0}
        required
      />
    </>
  )
}

/** What an answer from another device or browser needs. */
function CrossDevice({ client }: Pick<Props, 'client'>) {
  const { clients } = useWords()
  const here = useHere()
  const [chosen, setChosen] = useState<OidcClient['cross_device']>(client?.cross_device ?? 'confirm')
  const offered = Object.entries(clients.crossDevices).filter(
    ([value]) => value !== 'unconfirmed' || here.environment === 'test',
  )
  return (
    <>
      <SelectField
        label={clients.crossDevice}
        hint={clients.crossDeviceHint}
        name="cross_device"
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value as OidcClient['cross_device'])}
      >
        {offered.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </SelectField>
      {chosen === 'unconfirmed' && <Note tone="bad">{clients.unconfirmedWarning}</Note>}
    </>
  )
}
