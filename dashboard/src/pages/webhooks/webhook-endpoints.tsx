// Saved endpoints: add, edit, remove, and send a test event without personal data.

import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import type { TestedEndpoint, WebhookEndpoint, Webhooks } from '../../../../wire/webhooks.ts'
import { post } from '../../api.ts'
import { usePageWords, usePreferences, useWords } from '../../preferences.tsx'
import { useAct, useHere } from '../../session.tsx'
import { useSubmit } from '../../submit.ts'
import { Confirm, Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { useProblemOf } from '../../ui/field-problem.ts'
import { Form } from '../../ui/form.tsx'
import { Button, Card, Empty, ErrorNote, Mono, Note, SelectField, SwitchField, TextField } from '../../ui/parts.tsx'
import { Tag } from '../../ui/status.tsx'
import { webhookWords } from '../../words/webhooks.ts'
import { Exchange } from './webhook-exchange.tsx'
import { FailingDestination } from './webhook-failing.tsx'
import { reasonOf } from './webhook-reason.ts'

type Doing = { readonly what: 'edit' | 'remove' | 'test'; readonly endpoint: WebhookEndpoint }

export function Endpoints({ webhooks, onAdd }: { webhooks: Webhooks; onAdd(): void }) {
  const { endpoints: words, add } = usePageWords(webhookWords)
  const here = useHere()
  const act = useAct()
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  const { endpoints } = webhooks
  if (endpoints.length === 0) {
    return (
      <Empty icon="webhooks" title={words.empty}>
        <p>{words.emptyLead}</p>
        {here.mayChange && (
          <Button tone="primary" className="mt-5" onClick={onAdd}>
            {add}
          </Button>
        )}
      </Empty>
    )
  }
  return (
    <Card title={words.title}>
      <p className="mb-4 max-w-[70ch] text-sm text-soft">{words.lead}</p>
      <ul className="divide-y divide-line">
        {endpoints.map((endpoint) => (
          <li key={endpoint.id} className="flex flex-wrap items-center justify-between gap-3 py-3 last:pb-0">
            <div className="min-w-0">
              <p className="flex flex-wrap items-center gap-2 font-medium">
                {endpoint.name} {endpoint.is_default && <Tag>{words.default}</Tag>}
              </p>
              <p className="text-sm break-all text-soft">
                <Mono>{endpoint.url}</Mono>
              </p>
              {webhooks.destinations
                .filter(({ origin }) => origin === new URL(endpoint.url).origin)
                .map((destination) => (
                  <FailingDestination key={destination.origin} destination={destination} />
                ))}
            </div>
            {here.mayChange && (
              <div className="flex flex-wrap gap-2">
                {(['test', 'edit', 'remove'] as const).map((what) => (
                  <Button
                    key={what}
                    tone={what === 'remove' ? 'danger' : 'plain'}
                    aria-label={`${words[what]}: ${endpoint.name}`}
                    onClick={() => setDoing({ what, endpoint })}
                  >
                    {words[what]}
                  </Button>
                ))}
              </div>
            )}
          </li>
        ))}
      </ul>
      {doing?.what === 'edit' && <EndpointForm endpoint={doing.endpoint} isFirst={false} onClose={close} />}
      {doing?.what === 'test' && <Test endpoint={doing.endpoint} events={webhooks.test_events} onClose={close} />}
      {doing?.what === 'remove' && (
        <Confirm
          title={words.removeTitle(doing.endpoint.name)}
          lead={words.removeLead}
          word={words.remove}
          onClose={close}
          action={() => act(() => post('@/webhooks/endpoints/:id/remove', {}, here.at({ id: doing.endpoint.id })))}
        />
      )}
    </Card>
  )
}

interface FormProps {
  /** The endpoint to edit; null: creates an endpoint. */
  readonly endpoint: WebhookEndpoint | null
  readonly isFirst: boolean
  onClose(): void
}

/** The service's refusals of the address. */
const URL_CODES = ['invalid_webhook_url']

export function EndpointForm({ endpoint, isFirst, onClose }: FormProps) {
  const shared = useWords()
  const { endpoints: words, add } = usePageWords(webhookWords)
  const here = useHere()
  const act = useAct()
  const { terms } = here.me
  const { busy, error, run } = useSubmit()
  const urlProblem = useProblemOf(error, ...URL_CODES)
  const [unsaved, setUnsaved] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const fields = new FormData(event.currentTarget)
    const draft = {
      name: String(fields.get('name')).trim(),
      url: String(fields.get('url')).trim(),
      is_default: fields.get('is_default') !== null,
    }
    await run(async () => {
      await act(() =>
        endpoint === null
          ? post('@/webhooks/endpoints', draft, here.at())
          : post('@/webhooks/endpoints/:id', draft, here.at({ id: endpoint.id })),
      )
      onClose()
    })
  }
  return (
    <Dialog title={endpoint?.name ?? add} onClose={onClose} unsaved={unsaved}>
      <Form onSubmit={submit} onChange={() => setUnsaved(true)}>
        <TextField
          label={words.name}
          hint={words.nameHint}
          name="name"
          defaultValue={endpoint?.name}
          maxLength={terms.name_length_max}
          required
        />
        <TextField
          label={words.url}
          hint={words.urlHint}
          problem={urlProblem}
          name="url"
          type="url"
          defaultValue={endpoint?.url}
          maxLength={terms.endpoint_url_length_max}
          required
        />
        <SwitchField label={words.isDefault} name="is_default" defaultChecked={endpoint?.is_default ?? isFirst} />
        <DialogFoot note={<ErrorNote error={error} atField={URL_CODES} />}>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {shared.save}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

interface TestProps {
  readonly endpoint: WebhookEndpoint
  readonly events: Webhooks['test_events']
  onClose(): void
}

function Test({ endpoint, events, onClose }: TestProps) {
  const shared = useWords()
  const words = usePageWords(webhookWords)
  const here = useHere()
  const act = useAct()
  const [tested, setTested] = useState<TestedEndpoint | null>(null)
  const { busy, error, run } = useSubmit()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const type = String(new FormData(event.currentTarget).get('type'))
    await run(async () => {
      const request = { type, newest_secret_only: false }
      setTested(await act(() => post('@/webhooks/endpoints/:id/test', request, here.at({ id: endpoint.id }))))
    })
  }
  return (
    <Dialog title={words.test.title(endpoint.name)} onClose={onClose} wide>
      <Form onSubmit={submit}>
        <p className="mb-4 max-w-[70ch] text-soft">{words.test.lead}</p>
        <SelectField
          label={words.test.event}
          name="type"
          hint={here.environment === 'live' ? words.test.liveOnlyFailed : undefined}
        >
          {events.map((type) => (
            <option key={type} value={type}>
              {words.test.events[type]}
            </option>
          ))}
        </SelectField>
        {tested !== null && <Tested tested={tested} />}
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{shared.close}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {tested === null ? words.test.send : words.test.again}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

function Tested({ tested }: { tested: TestedEndpoint }) {
  const words = usePageWords(webhookWords)
  const here = useHere()
  const { language } = usePreferences()
  const isOk = tested.outcome === 'delivered'
  const took = new Intl.NumberFormat(language).format(tested.took_ms)
  return (
    <>
      <Note tone={isOk ? 'good' : 'bad'}>
        <p className="font-medium">{isOk ? words.test.ok : words.test.notOk}</p>
        <p>
          {isOk ? `HTTP ${tested.http_status}` : reasonOf(words, tested)} · {words.delivery.took(took)}
        </p>
      </Note>
      <Exchange request={tested.request} answer={tested.answer} status={tested.http_status} showsContent />
      <p className="mt-4 text-sm">
        <Link to={here.page(`/webhooks/${tested.id}`)} className="text-accent underline">
          {words.test.inLog}
        </Link>
      </p>
    </>
  )
}
