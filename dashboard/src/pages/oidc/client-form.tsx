// The form for an OpenID client, new or existing.

import { type FormEvent, useState } from 'react'
import type { OidcClient } from '../../../../wire/oidc-clients.ts'
import { post } from '../../api.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useHere } from '../../session.tsx'
import { useSubmit } from '../../submit.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Button, ChoiceCard, ErrorNote, Note } from '../../ui/parts.tsx'
import { clientWords } from '../../words/clients.ts'
import type { enClients } from '../../words/en/clients.ts'
import { ClientFields } from './client-fields.tsx'
import { PRESET_NAMES, PRESETS, type PresetName, type Registered } from './presets.ts'

type ClientProblem = keyof typeof enClients.problems

interface Props {
  readonly issuer: string
  /** The client to edit; null: creates a client. */
  readonly client: OidcClient | null
  onClose(): void
  onDone(registered: Registered, preset: PresetName): void
}

export function ClientForm({ issuer, client, onClose, onDone }: Props) {
  const words = useWords()
  const pageWords = usePageWords(clientWords)
  const here = useHere()
  const act = useAct()
  const { busy, error, run } = useSubmit()
  const [problem, setProblem] = useState<ClientProblem | null>(null)
  const [unsaved, setUnsaved] = useState(false)
  const [preset, setPreset] = useState<PresetName>('generic')
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const form = event.currentTarget
    const fields = new FormData(form)
    setProblem(null)
    await run(async () => {
      const terms = termsOf(fields)
      const answer = await act(() =>
        client === null
          ? post('@/clients', { ...terms, auth_method: String(fields.get('auth_method')) }, here.at())
          : post(
              '@/clients/:id',
              { ...terms, subject_per_type: separates(client, fields) },
              here.at({ id: client.id }),
            ),
      )
      if (answer.outcome === 'done') return onDone({ issuer, client: answer.client, secret: answer.secret }, preset)
      setProblem(answer.problem)
      const wrong = form.querySelector(`[name=${WRONG_FIELDS[answer.problem] ?? 'name'}]`)
      const folded = wrong?.closest('details') ?? null
      if (folded !== null) folded.open = true
      if (wrong instanceof HTMLElement) wrong.focus()
    })
  }
  const isRedirects = problem !== null && WRONG_FIELDS[problem] === 'redirect_uris'
  return (
    <Dialog title={client === null ? pageWords.create : client.name} onClose={onClose} unsaved={unsaved} wide>
      <Form onSubmit={submit} onChange={() => setUnsaved(true)}>
        {client === null && <PresetChoice preset={preset} onChoose={setPreset} />}
        {/* Remounts for each preset, which has other defaults. */}
        <ClientFields
          key={preset}
          client={client}
          preset={preset}
          redirectsProblem={problem !== null && isRedirects ? pageWords.problems[problem] : null}
        />
        <DialogFoot
          note={
            <>
              <ErrorNote error={error} />
              {problem !== null && !isRedirects && <Note tone="bad">{pageWords.problems[problem]}</Note>}
            </>
          }
        >
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {client === null ? pageWords.create : pageWords.save}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

function PresetChoice({ preset, onChoose }: { preset: PresetName; onChoose(preset: PresetName): void }) {
  const clients = usePageWords(clientWords)
  return (
    <fieldset className="mb-5">
      <legend className="mb-1 text-sm font-medium">{clients.preset}</legend>
      <div className="grid grid-cols-2 gap-2 *:last:odd:col-span-full sm:flex sm:flex-wrap">
        {PRESET_NAMES.map((name) => (
          <ChoiceCard
            key={name}
            name="preset"
            value={name}
            checked={preset === name}
            onChange={() => onChoose(name)}
            label={name === 'generic' ? clients.generic : PRESETS[name].product}
          />
        ))}
      </div>
    </fieldset>
  )
}

/** The field of each problem. It gets the focus, because the form is longer than a window. */
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

/** Returns the trimmed parts of a text, without empty ones. */
const lines = (text: FormDataEntryValue | null, separator: RegExp) =>
  String(text ?? '')
    .split(separator)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** It can only be turned on here. */
const separates = ({ subject_per_type: isOn }: OidcClient, fields: FormData) => isOn || fields.has('subject_per_type')

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
