// The fields of an OpenID client: the required ones, and the rest folded below.

import { useState } from 'react'
import type { OidcClient } from '../../../../wire/oidc-clients.ts'
import type { Template } from '../../../../wire/templates.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAnswer, useHere } from '../../session.tsx'
import { titleOf } from '../../template-titles.ts'
import {
  AreaField,
  CheckField,
  ChoiceCard,
  Note,
  SelectField,
  Skeleton,
  SwitchField,
  TextField,
} from '../../ui/parts.tsx'
import { clientWords } from '../../words/clients.ts'
import { PRESETS, type PresetName, trimmed } from './presets.ts'

interface Props {
  /** The client to edit; null: creates a client. */
  readonly client: OidcClient | null
}

interface FieldsProps extends Props {
  readonly preset: PresetName
}

export function ClientFields({ client, preset, redirectsProblem }: FieldsProps & { redirectsProblem: string | null }) {
  const clients = usePageWords(clientWords)
  const here = useHere()
  const templates = useAnswer('@/templates')
  const { storesAccounts, product } = PRESETS[preset]
  const [mode, setMode] = useState<OidcClient['subject_mode']>(client?.subject_mode ?? 'derived')
  const [method, setMethod] = useState<OidcClient['auth_method']>(client?.auth_method ?? 'client_secret')
  if (templates.data === undefined) return <Skeleton lines={6} />
  const isNew = client === null
  const usual = mode === 'ephemeral' ? 'age_over_18' : 'identity'
  /** Folded if the product has usual values for them. */
  const identifying = (
    <>
      <div className="gap-x-5 sm:grid sm:grid-cols-2 sm:items-start">
        {isNew && (
          <SelectField
            label={clients.authMethod}
            name="auth_method"
            value={method}
            onChange={(event) => setMethod(event.currentTarget.value as OidcClient['auth_method'])}
          >
            {options(clients.authMethods)}
          </SelectField>
        )}
        <SelectField
          label={clients.subject}
          hint={storesAccounts ? clients.subjectStored : undefined}
          name="subject_mode"
          value={mode}
          onChange={(event) => setMode(event.currentTarget.value as OidcClient['subject_mode'])}
        >
          {options(clients.subjects)}
        </SelectField>
      </div>
      {mode !== 'ephemeral' && (
        <TextField
          label={clients.subjectClaims}
          hint={clients.subjectClaimsHint}
          name="subject_claims"
          defaultValue={client?.subject_claims.join(' ') || STORED_CLAIMS}
          required
        />
      )}
      {mode !== 'ephemeral' && client?.subject_per_type === false && (
        <SwitchField name="subject_per_type" label={clients.subjectPerType} hint={clients.subjectPerTypeHint} />
      )}
    </>
  )
  return (
    <>
      <TextField
        label={clients.name}
        hint={clients.nameHint}
        name="name"
        defaultValue={client?.name ?? (preset === 'generic' ? '' : product)}
        maxLength={here.me.terms.name_length_max}
        required
      />
      <Redirects client={client} preset={preset} problem={redirectsProblem} />
      {isNew && !storesAccounts && <Recognise mode={mode} onMode={setMode} />}
      {/* Remounts with the answer, which has another usual template. */}
      <TemplateFields key={usual} client={client} known={templates.data.data} usual={usual} />
      {preset === 'generic' && identifying}
      {method === 'private_key_jwt' && <Keys client={client} required />}
      <details className="mt-6 border-t border-line pt-3">
        <summary className="min-h-8 py-1 text-sm font-medium text-accent">{clients.advanced}</summary>
        <div className="mt-3">
          {preset !== 'generic' && identifying}
          <Advanced client={client} preset={preset} hasKeys={method === 'private_key_jwt'} />
        </div>
      </details>
    </>
  )
}

/** Claims that identify a person: two people rarely share all of them, and a PID has them. */
const STORED_CLAIMS = 'given_name family_name birth_date'

interface RecogniseProps {
  readonly mode: OidcClient['subject_mode']
  onMode(mode: OidcClient['subject_mode']): void
}

/** Asks which user identifier (`sub`) the product gets. */
function Recognise({ mode, onMode }: RecogniseProps) {
  const clients = usePageWords(clientWords)
  return (
    <fieldset className="mb-4">
      <legend className="mb-1 text-sm font-medium">{clients.recognise}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {(['derived', 'ephemeral'] as const).map((one) => {
          const [label = '', hint] = clients.recognises[one]
          return (
            <ChoiceCard
              key={one}
              {...{ label, hint }}
              name="recognise"
              value={one}
              checked={(mode === 'ephemeral') === (one === 'ephemeral')}
              onChange={() => onMode(one)}
            />
          )
        })}
      </div>
    </fieldset>
  )
}

const options = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, word]) => (
    <option key={value} value={value}>
      {word}
    </option>
  ))

/** The product's address yields the redirect URI, which can still be changed. */
function Redirects({ client, preset, problem }: FieldsProps & { problem: string | null }) {
  const clients = usePageWords(clientWords)
  const { example, redirectOf } = PRESETS[preset]
  const [text, setText] = useState(client?.redirect_uris.join('\n') ?? '')
  return (
    <>
      {client === null && example !== null && (
        <TextField
          label={clients.addresses[preset]}
          type="url"
          placeholder={example}
          autoComplete="off"
          required
          onChange={({ currentTarget: { value } }) => setText(value.trim() === '' ? '' : redirectOf(trimmed(value)))}
        />
      )}
      <AreaField
        label={clients.redirects}
        hint={clients.redirectsHint}
        problem={problem}
        name="redirect_uris"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        rows={2}
        spellCheck={false}
        required
      />
    </>
  )
}

interface TemplateFieldsProps extends Props {
  readonly known: readonly Template[]
  readonly usual: string
}

function TemplateFields({ client, known, usual }: TemplateFieldsProps) {
  const words = useWords()
  const clients = usePageWords(clientWords)
  return (
    <>
      <SelectField
        label={clients.defaultTemplate}
        name="default_template"
        defaultValue={client === null ? usual : (client.default_template ?? '')}
      >
        <option value="">{clients.none}</option>
        {known.map((template) => (
          <option key={template.key} value={template.key}>
            {titleOf(words, template)}
          </option>
        ))}
      </SelectField>
      <details className="mb-4" open={client !== null}>
        <summary className="min-h-8 py-1 text-sm font-medium">{clients.templates}</summary>
        <fieldset className="mt-1 sm:columns-2">
          <legend className="sr-only">{clients.templates}</legend>
          {known.map((template) => (
            <CheckField
              key={template.key}
              name="template"
              value={template.key}
              label={titleOf(words, template)}
              defaultChecked={client === null ? template.key === usual : client.templates.includes(template.key)}
            />
          ))}
        </fieldset>
      </details>
    </>
  )
}

function Keys({ client, required = false }: Props & { required?: boolean }) {
  const clients = usePageWords(clientWords)
  return (
    <AreaField
      label={clients.jwks}
      hint={clients.jwksHint}
      name="jwks"
      defaultValue={client?.jwks ?? ''}
      rows={required ? 4 : 2}
      spellCheck={false}
      required={required}
    />
  )
}

function Advanced({ client, preset, hasKeys }: FieldsProps & { hasKeys: boolean }) {
  const clients = usePageWords(clientWords)
  return (
    <>
      <CrossDevice client={client} />
      <SwitchField
        name="require_true"
        label={clients.requireTrue}
        hint={clients.requireTrueHint}
        defaultChecked={client?.require_true ?? false}
      />
      <SwitchField
        name="claims_in_id_token"
        label={clients.claimsInIdToken}
        defaultChecked={client?.claims_in_id_token ?? PRESETS[preset].readsIdToken}
      />
      <SwitchField name="vp_data" label={clients.vpData} defaultChecked={client?.vp_data ?? false} />
      <SwitchField
        name="verified_claims"
        label={clients.verifiedClaims}
        defaultChecked={client?.verified_claims ?? false}
      />
      <div className="gap-x-5 sm:grid sm:grid-cols-2 sm:items-start">
        <TextField
          label={clients.remember}
          name="remember_minutes"
          type="number"
          min={0}
          max={60}
          defaultValue={client?.remember_minutes ?? 0}
          required
        />
        <SelectField label={clients.alg} name="id_token_alg" defaultValue={client?.id_token_alg ?? 'RS256'}>
          <option value="RS256">RS256</option>
          <option value="ES256">ES256</option>
        </SelectField>
      </div>
      <SelectField
        label={clients.profile}
        hint={clients.profileHint}
        name="profile"
        defaultValue={client?.profile ?? 'openid'}
      >
        {options(clients.profiles)}
      </SelectField>
      {!hasKeys && <Keys client={client} />}
      <AreaField
        label={clients.requestUris}
        hint={clients.requestUrisHint}
        name="request_uris"
        defaultValue={client?.request_uris.join('\n') ?? ''}
        rows={2}
        spellCheck={false}
      />
    </>
  )
}

/** What an answer from another device or browser requires. */
function CrossDevice({ client }: Props) {
  const clients = usePageWords(clientWords)
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
