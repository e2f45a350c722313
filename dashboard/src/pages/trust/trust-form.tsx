// Forms of the trust page. Each sends its fields and shows the service's refusal or warnings.

import { type FormEvent, type ReactNode, useState } from 'react'
import type { TrustChange } from '../../../../wire/trust.ts'
import { post } from '../../api.ts'
import { useLabels, vouchedLabel } from '../../labels.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useHere } from '../../session.tsx'
import { useSubmit } from '../../submit.ts'
import { Dialog, DialogFoot, WarningsDialog } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { AreaField, Button, CheckField, ErrorNote, Note, SelectField, SwitchField, TextField } from '../../ui/parts.tsx'
import { trustWords } from '../../words/trust.ts'
import { DOCUMENTS } from '../templates/builder/documents.ts'
import { PemField } from './pem-field.tsx'
import { type Refused, RefusedNote } from './trust-refusal.tsx'

const COMMON_TYPES = Object.values(DOCUMENTS).map(({ format, type }) => `${format}:${type}`)
const PURPOSES = ['openid4vp', 'iso-reader', 'apple', 'google'] as const

const FIELD_CODES = ['one_certificate', 'no_certificates', 'signer_certificate', 'address'] as const
type FieldCode = (typeof FIELD_CODES)[number]

const isAtField = ({ code }: Refused) => FIELD_CODES.some((one) => one === code)

interface FormProps {
  readonly title: string
  readonly lead: string
  readonly word: string
  /** `problemAt`: the refusal that concerns one field. */
  children(problemAt: (code: FieldCode) => string | null): ReactNode
  /** Whether the form has a field for types. */
  readonly needsTypes?: boolean
  onClose(): void
  /** Returns the service's answer. */
  send(fields: FormData): Promise<TrustChange>
}

function ChangeForm({ title, lead, word, children, needsTypes = false, onClose, send }: FormProps) {
  const shared = useWords()
  const words = usePageWords(trustWords)
  const { busy, error, run } = useSubmit()
  const [refused, setRefused] = useState<Refused | null>(null)
  const [missing, setMissing] = useState(false)
  const [warnings, setWarnings] = useState<readonly string[] | null>(null)
  const [unsaved, setUnsaved] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const fields = new FormData(event.currentTarget)
    setMissing(false)
    setRefused(null)
    if (needsTypes && typesOf(fields).length === 0) return setMissing(true)
    await run(async () => {
      const change = await send(fields)
      if (change.outcome === 'refused') setRefused(change)
      else if (change.warnings.length === 0) return onClose()
      else setWarnings(change.warnings)
    })
  }
  if (warnings !== null) {
    return (
      <WarningsDialog title={title} lead={words.warnings} onClose={onClose}>
        {warnings.map((warning) => (
          <p key={warning} lang="en">
            {warning}
          </p>
        ))}
      </WarningsDialog>
    )
  }
  return (
    <Dialog title={title} onClose={onClose} unsaved={unsaved}>
      <Form onSubmit={submit} onChange={() => setUnsaved(true)}>
        <p className="mb-4 text-soft">{lead}</p>
        {children((code) => (refused?.code === code ? words.problems[code] : null))}
        <DialogFoot
          note={
            <>
              <ErrorNote error={error} />
              {missing && <Note tone="bad">{words.typesMissing}</Note>}
              <RefusedNote refused={refused !== null && isAtField(refused) ? null : refused} />
            </>
          }
        >
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {word}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

export function AnchorForm({ onClose }: { onClose(): void }) {
  const words = usePageWords(trustWords)
  const here = useHere()
  const act = useAct()
  const send = (fields: FormData) => {
    const request = {
      certificate: String(fields.get('certificate')).trim(),
      kind: fields.get('kind'),
      profile: fields.get('profile'),
      types: typesOf(fields),
      ...soleTypeOf(fields),
    }
    return act(() => post('@/trust/anchors', request, here.at()))
  }
  return (
    <ChangeForm
      title={words.addAnchor}
      lead={words.addAnchorLead}
      word={words.addAnchor}
      needsTypes
      onClose={onClose}
      send={send}
    >
      {(problemAt) => (
        <>
          <PemField
            label={words.certificate}
            hint={words.certificateHint}
            fileLabel={words.file}
            name="certificate"
            problem={problemAt('one_certificate')}
          />
          <TypesField />
          <details className="mb-4">
            <summary className="cursor-pointer text-sm text-accent">{words.advanced}</summary>
            <div className="mt-3">
              <SelectField label={words.kind} name="kind">
                <option value="ca">{words.kinds.ca}</option>
                {here.environment === 'test' && <option value="pinned">{words.kinds.pinned}</option>}
              </SelectField>
              <SelectField label={words.profile} name="profile">
                <option value="generic">{words.profiles.generic}</option>
                <option value="iso-mdl">{words.profiles['iso-mdl']}</option>
              </SelectField>
              <SoleTypeField />
            </div>
          </details>
        </>
      )}
    </ChangeForm>
  )
}

/** The kinds of providers that lists of each format can name, the most common first. */
const PROVIDERS = {
  lote: ['pid', 'public-attestation', 'attestation', 'mdl'],
  vical: ['mdoc'],
  tsl: ['age-attestation'],
} as const

export function ListForm({ onClose }: { onClose(): void }) {
  const words = usePageWords(trustWords)
  const [kind, setKind] = useState<keyof typeof PROVIDERS>('lote')
  const here = useHere()
  const act = useAct()
  const send = (fields: FormData) => {
    const request = {
      kind,
      providers: fields.get('providers'),
      url: String(fields.get('url')).trim(),
      signer: String(fields.get('signer')).trim(),
      types: typesOf(fields),
    }
    return act(() => post('@/trust/lists', request, here.at()))
  }
  return (
    <ChangeForm
      title={words.addList}
      lead={words.addListLead}
      word={words.addList}
      needsTypes
      onClose={onClose}
      send={send}
    >
      {(problemAt) => (
        <>
          <SelectField
            label={words.listKind}
            name="kind"
            value={kind}
            onChange={({ target }) => setKind(target.value as keyof typeof PROVIDERS)}
          >
            <option value="lote">{words.listKinds.lote}</option>
            <option value="vical">{words.listKinds.vical}</option>
            <option value="tsl">{words.listKinds.tsl}</option>
          </SelectField>
          <SelectField label={words.providers} hint={words.providersHint} name="providers" key={kind}>
            {PROVIDERS[kind].map((one) => (
              <option key={one} value={one}>
                {words.providersNamed[one]}
              </option>
            ))}
          </SelectField>
          <TextField problem={problemAt('address')} label={words.url} name="url" type="url" maxLength={2048} required />
          <PemField
            label={words.signer}
            hint={words.signerHint}
            fileLabel={words.file}
            name="signer"
            problem={problemAt('signer_certificate')}
          />
          <TypesField />
        </>
      )}
    </ChangeForm>
  )
}

export function InstallForm({ onClose }: { onClose(): void }) {
  const words = usePageWords(trustWords)
  const here = useHere()
  const act = useAct()
  const send = (fields: FormData) => {
    const request = { purpose: fields.get('purpose'), chain: String(fields.get('chain')).trim() }
    return act(() => post('@/trust/certificates/install', request, here.at()))
  }
  return (
    <ChangeForm title={words.install} lead={words.installLead} word={words.install} onClose={onClose} send={send}>
      {(problemAt) => (
        <>
          <PurposeField />
          <PemField
            label={words.chain}
            hint={words.certificateHint}
            fileLabel={words.file}
            name="chain"
            problem={problemAt('no_certificates')}
          />
        </>
      )}
    </ChangeForm>
  )
}

export function PurposeField() {
  const shared = useWords()
  const words = usePageWords(trustWords)
  return (
    <SelectField label={words.purpose} name="purpose">
      {PURPOSES.map((purpose) => (
        <option key={purpose} value={purpose}>
          {shared.trust.purposes[purpose]}
        </option>
      ))}
    </SelectField>
  )
}

/** Common types by name, all others as text. */
function TypesField() {
  const words = usePageWords(trustWords)
  const labels = useLabels()
  const { formats } = useHere().me.terms
  return (
    <>
      <fieldset className="mb-2">
        <legend className="mb-2 text-sm font-medium">{words.types}</legend>
        {COMMON_TYPES.map((type) => (
          <CheckField key={type} label={vouchedLabel(labels, formats, type)} name="types" value={type} />
        ))}
      </fieldset>
      <details className="mb-4">
        <summary className="cursor-pointer text-sm text-accent">{words.otherTypes}</summary>
        <div className="mt-3">
          <AreaField label={words.otherTypesLabel} hint={words.typesHint} name="other_types" rows={3} />
        </div>
      </details>
    </>
  )
}

/** Only for an issuer whose keys sign one document type and nothing else. Then zero-knowledge proofs count. */
function SoleTypeField() {
  const words = usePageWords(trustWords)
  return (
    <fieldset className="border-t border-line pt-4">
      <legend className="sr-only">{words.soleTypeMore}</legend>
      <p className="mb-3 text-sm font-medium" aria-hidden="true">
        {words.soleTypeMore}
      </p>
      <TextField label={words.soleNamespace} hint={words.soleNamespaceHint} name="sole_namespace" maxLength={255} />
      <SwitchField label={words.withoutStatus} name="without_status" value="yes" />
    </fieldset>
  )
}

function soleTypeOf(fields: FormData) {
  const namespace = String(fields.get('sole_namespace') ?? '').trim()
  if (namespace === '') return {}
  return { sole_type: { namespace, without_status: fields.get('without_status') === 'yes' } }
}

const typesOf = (fields: FormData): string[] => [
  ...new Set([...fields.getAll('types').map(String), ...linesOf(fields.get('other_types'))]),
]

const linesOf = (text: FormDataEntryValue | null): string[] =>
  String(text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
