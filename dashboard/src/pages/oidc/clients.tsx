// The page of OpenID clients: create, edit, replace the secret, remove.

import { useState } from 'react'
import type { OidcClient } from '../../../../wire/oidc-clients.ts'
import { post } from '../../api.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { useTemplateTitle } from '../../template-titles.ts'
import { Confirm, SecretDialog } from '../../ui/dialog.tsx'
import { Button, Copy, Empty, ErrorNote, Mono, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { type RowAction, RowMenu } from '../../ui/row-menu.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { clientWords } from '../../words/clients.ts'
import { ClientForm } from './client-form.tsx'
import { ClientSetUp } from './client-set-up.tsx'
import type { PresetName, Registered } from './presets.ts'

type Task = { readonly kind: 'change' | 'rotate' | 'remove'; readonly client: OidcClient } | { readonly kind: 'create' }

export function ClientsPage() {
  const words = useWords()
  const pageWords = usePageWords(clientWords)
  const here = useHere()
  useTitle(words.clients.title)
  const clients = useAnswer('@/clients')
  const [task, setTask] = useState<Task | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const columns = useColumns(setTask)
  const end = () => setTask(null)
  const [registered, setRegistered] = useState<{ registered: Registered; preset: PresetName } | null>(null)
  const done = (created: Registered, preset: PresetName) => {
    const isNew = task?.kind === 'create'
    end()
    if (isNew) setRegistered({ registered: created, preset })
  }
  const rotated = (created: string | null) => {
    end()
    setSecret(created)
  }
  const issuer = clients.data?.issuer ?? ''
  return (
    <>
      <PageTitle title={words.clients.title} lead={pageWords.lead}>
        {here.mayChange && clients.data?.data.length !== 0 && (
          <Button icon="plus" tone="primary" onClick={() => setTask({ kind: 'create' })}>
            {pageWords.create}
          </Button>
        )}
      </PageTitle>
      <ErrorNote error={clients.error} again={() => clients.refetch()} />
      {clients.data === undefined ? (
        clients.error === null && <Skeleton />
      ) : (
        <>
          <p className="mb-1 text-sm text-soft">{pageWords.issuer}</p>
          <div className="mb-7 flex flex-wrap items-center gap-x-3 gap-y-2 sm:flex-nowrap">
            <p className="min-w-0 grow rounded-lg bg-sunken px-4 py-2.5 font-mono text-[13px] break-all select-all">
              {clients.data.issuer}
            </p>
            <Copy text={clients.data.issuer} />
          </div>
          <ClaimsNotice clients={clients.data.data} />
          <SubjectNotice clients={clients.data.data} />
          {clients.data.data.length === 0 ? (
            <Empty icon="clients" title={pageWords.empty}>
              <p>{pageWords.emptyLead}</p>
              {here.mayChange && (
                <Button icon="plus" tone="primary" className="mt-5" onClick={() => setTask({ kind: 'create' })}>
                  {pageWords.create}
                </Button>
              )}
            </Empty>
          ) : (
            <Table caption={words.clients.title} columns={columns} rows={clients.data.data} keyOf={({ id }) => id} />
          )}
        </>
      )}
      {task?.kind === 'create' && <ClientForm issuer={issuer} client={null} onClose={end} onDone={done} />}
      {task?.kind === 'change' && <ClientForm issuer={issuer} client={task.client} onClose={end} onDone={done} />}
      {task?.kind === 'rotate' && <Rotate client={task.client} onClose={end} onDone={rotated} />}
      {task?.kind === 'remove' && <Remove client={task.client} onClose={end} />}
      {registered !== null && <ClientSetUp {...registered} onClose={() => setRegistered(null)} />}
      {secret !== null && (
        <SecretDialog
          title={pageWords.shownOnce}
          lead={pageWords.shownOnceLead}
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
    </>
  )
}

/** Clients from before 0.2.0 get all claims in the ID token, until that is turned off. */
function ClaimsNotice({ clients }: { clients: readonly OidcClient[] }) {
  const pageWords = usePageWords(clientWords)
  const named = clients.filter((client) => client.claims_in_id_token).map(({ name }) => name)
  return named.length === 0 ? null : <Note tone="warn">{pageWords.claimsInIdTokenNotice(named.join(', '))}</Note>
}

/** Clients from before 0.2.0 keep the identifiers of their people, until this is turned on. */
function SubjectNotice({ clients }: { clients: readonly OidcClient[] }) {
  const pageWords = usePageWords(clientWords)
  const named = clients.filter((client) => client.subject_mode !== 'ephemeral' && !client.subject_per_type)
  const names = named.map(({ name }) => name).join(', ')
  return named.length === 0 ? null : <Note tone="warn">{pageWords.subjectPerTypeNotice(names)}</Note>
}

function useColumns(begin: (task: Task) => void): Column<OidcClient>[] {
  const pageWords = usePageWords(clientWords)
  const here = useHere()
  const titleOf = useTemplateTitle()
  const action = (client: OidcClient, kind: 'rotate' | 'remove'): RowAction => ({
    label: pageWords[kind],
    icon: kind === 'rotate' ? 'again' : 'remove',
    isDanger: kind === 'remove',
    onChoose: () => begin({ kind, client }),
  })
  return [
    { head: pageWords.name, cell: (client) => <span className="font-medium max-sm:pr-10">{client.name}</span> },
    { head: pageWords.id, cell: (client) => <ClientId id={client.id} /> },
    {
      head: pageWords.templates,
      cell: (client) => <span className="text-soft">{client.templates.map(titleOf).join(', ')}</span>,
    },
    { head: pageWords.redirects, cell: (client) => <Addresses uris={client.redirect_uris} /> },
    {
      head: '',
      cell: (client) =>
        here.mayChange && (
          <div className="flex items-center justify-end gap-2">
            <Button
              aria-label={`${pageWords.change}: ${client.name}`}
              onClick={() => begin({ kind: 'change', client })}
            >
              {pageWords.change}
            </Button>
            <span className="max-sm:absolute max-sm:top-3 max-sm:right-2">
              <RowMenu
                label={`${pageWords.more}: ${client.name}`}
                actions={[
                  ...(client.auth_method === 'client_secret' ? [action(client, 'rotate')] : []),
                  action(client, 'remove'),
                ]}
              />
            </span>
          </div>
        ),
    },
  ]
}

/** Shows the id without its middle; copying copies all of it. */
function ClientId({ id }: { id: string }) {
  const { copyId } = usePageWords(clientWords)
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap max-sm:-my-1.5">
      <span title={id}>
        <Mono>
          {id.slice(0, 9)}…{id.slice(-4)}
        </Mono>
      </span>
      <Copy text={id} label={copyId} isSmall />
    </span>
  )
}

function Addresses({ uris }: { uris: readonly string[] }) {
  const [first = '', ...others] = uris
  return (
    <span className="flex min-w-0 gap-1.5 text-soft" title={uris.join('\n')}>
      <span className="max-w-64 truncate">{first}</span>
      {others.length > 0 && <span className="whitespace-nowrap">+ {others.length}</span>}
    </span>
  )
}

function Rotate({
  client,
  onClose,
  onDone,
}: {
  client: OidcClient
  onClose(): void
  onDone(secret: string | null): void
}) {
  const pageWords = usePageWords(clientWords)
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={pageWords.rotateTitle(client.name)}
      lead={pageWords.rotateLead(here.me.terms.secret_overlap_hours)}
      word={pageWords.rotate}
      onClose={onClose}
      action={async () => {
        const answer = await act(() => post('@/clients/:id/secret', {}, here.at({ id: client.id })))
        if (answer.outcome === 'done') onDone(answer.secret)
      }}
    />
  )
}

function Remove({ client, onClose }: { client: OidcClient; onClose(): void }) {
  const pageWords = usePageWords(clientWords)
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={pageWords.removeTitle(client.name)}
      lead={pageWords.removeLead}
      word={pageWords.remove}
      onClose={onClose}
      action={() => act(() => post('@/clients/:id/remove', {}, here.at({ id: client.id })))}
    />
  )
}
