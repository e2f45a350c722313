// The delivery log with filters, and a button to resend failed deliveries.

import { type FormEvent, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import type { Delivery } from '../../../../wire/webhooks.ts'
import { post } from '../../api.ts'
import { pageFrom, useFilters } from '../../filters.ts'
import { usePageWords, usePreferences, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useSubmit } from '../../submit.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Button, buttonClass, Empty, ErrorNote, Note, SelectField, Skeleton } from '../../ui/parts.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { webhookWords } from '../../words/webhooks.ts'
import { reasonOf } from './webhook-reason.ts'
import { DeliveryState } from './webhook-state.tsx'
import { TestMark } from './webhook-test-mark.tsx'

const STATES = ['delivered', 'pending', 'failed', 'held'] as const
const HOURS = [1, 24, 168, 720] as const

export function Log() {
  const shared = useWords()
  const { log: words } = usePageWords(webhookWords)
  const here = useHere()
  const navigate = useNavigate()
  const [params, choose] = useFilters()
  const [resending, setResending] = useState(false)
  const [resent, setResent] = useState<number | null>(null)
  const log = useAnswer('@/deliveries', { query: params, everyMs: 5_000 })
  const columns = useColumns()
  const isFiltered = params.has('state') || params.has('type')
  const { data } = log
  const isEmpty = !isFiltered && !params.has('before') && data?.data.length === 0
  return (
    <section id="deliveries">
      <div className="mb-4 flex flex-wrap items-end justify-between gap-3">
        <div>
          <h2 className="font-semibold">{words.title}</h2>
          <p className="text-sm text-soft">{words.lead}</p>
        </div>
        {here.mayChange && !isEmpty && <Button onClick={() => setResending(true)}>{words.resendFailed}</Button>}
      </div>
      <div className={`${isEmpty ? 'hidden' : 'grid'} gap-x-3 sm:grid-cols-[12rem_18rem]`}>
        <SelectField
          label={words.state}
          value={params.get('state') ?? ''}
          onChange={(event) => choose('state', event.currentTarget.value)}
        >
          <option value="">{words.all}</option>
          {STATES.map((state) => (
            <option key={state} value={state}>
              {shared.status[state]}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={words.event}
          value={params.get('type') ?? ''}
          onChange={(event) => choose('type', event.currentTarget.value)}
        >
          <option value="">{words.all}</option>
          {here.me.terms.webhook_events.map((type) => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </SelectField>
      </div>
      <ErrorNote error={log.error} again={() => log.refetch()} />
      {resent !== null && (
        <Note tone={resent > 0 ? 'good' : 'plain'}>{resent > 0 ? words.resent(resent) : words.nothingFailed}</Note>
      )}
      {data === undefined ? (
        log.error === null && <Skeleton />
      ) : data.data.length === 0 ? (
        isFiltered ? (
          <Empty title={words.none}>
            <Link to="?" className={`${buttonClass('plain')} mt-3`}>
              {words.clear}
            </Link>
          </Empty>
        ) : (
          <Empty title={shared.webhooks.empty}>{shared.webhooks.emptyLead}</Empty>
        )
      ) : (
        <Table
          caption={words.title}
          columns={columns}
          rows={data.data}
          keyOf={({ id }) => id}
          open={({ id }) => navigate(here.page(`/webhooks/${id}`))}
        />
      )}
      <nav aria-label={shared.older} className="mt-4 flex gap-3">
        {params.has('before') && (
          <Link to={pageFrom(params, null)} className={buttonClass('plain')}>
            {shared.newest}
          </Link>
        )}
        {data?.next != null && (
          <Link to={pageFrom(params, data.next)} className={buttonClass('plain')}>
            {isFiltered ? words.further : shared.older}
          </Link>
        )}
      </nav>
      {resending && <ResendFailed onClose={() => setResending(false)} onDone={setResent} />}
    </section>
  )
}

function useColumns(): Column<Delivery>[] {
  const shared = useWords()
  const words = usePageWords(webhookWords)
  const here = useHere()
  return [
    { head: words.log.state, cell: (delivery) => <DeliveryState delivery={delivery} /> },
    {
      head: words.log.why,
      isLong: true,
      cell: (delivery) => {
        const last = delivery.attempts.at(-1)
        return (
          <div className="sm:min-w-64">
            <p>{last === undefined ? words.log.waiting : reasonOf(words, last)}</p>
            <p className="text-[13px] text-soft">
              {words.log.attempts(delivery.attempts.length)}
              {delivery.state === 'pending' && delivery.next_at !== null && delivery.attempts.length > 0 && (
                <>
                  {' · '}
                  {words.log.next} <Time at={delivery.next_at} />
                </>
              )}
            </p>
          </div>
        )
      },
    },
    {
      head: words.log.event,
      cell: (delivery) => (
        <>
          <code className="block font-mono text-[13px] whitespace-nowrap">{delivery.type}</code>
          {delivery.verification_id === null ? (
            <TestMark />
          ) : (
            <Link
              to={here.page(`/verifications/${delivery.verification_id}`)}
              className="font-mono text-[13px] whitespace-nowrap text-accent underline"
            >
              {delivery.verification_id.slice(0, 12)}…
            </Link>
          )}
        </>
      ),
    },
    { head: shared.verifications.created, cell: (delivery) => <Time at={delivery.created_at} /> },
    {
      head: '',
      cell: (delivery) => (
        <Link
          to={here.page(`/webhooks/${delivery.id}`)}
          aria-label={`${words.log.open}: ${delivery.id}`}
          className={buttonClass('plain')}
        >
          {words.log.open}
        </Link>
      ),
    },
  ]
}

function ResendFailed({ onClose, onDone }: { onClose(): void; onDone(resent: number): void }) {
  const shared = useWords()
  const { log: words } = usePageWords(webhookWords)
  const { language } = usePreferences()
  const here = useHere()
  const act = useAct()
  const { busy, error, run } = useSubmit()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const hours = Number(new FormData(event.currentTarget).get('hours'))
    await run(async () => {
      onDone((await act(() => post('@/deliveries/resend-failed', { hours }, here.at()))).resent)
      onClose()
    })
  }
  return (
    <Dialog title={words.resendTitle} onClose={onClose}>
      <Form onSubmit={submit}>
        <p className="mb-4 text-soft">
          {words.resendLead(new Intl.NumberFormat(language).format(here.me.terms.resent_at_once_max))}
        </p>
        <SelectField label={words.since} name="hours" defaultValue="24">
          {HOURS.map((hours) => (
            <option key={hours} value={hours}>
              {words.hours[hours]}
            </option>
          ))}
        </SelectField>
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {words.resendFailed}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}
