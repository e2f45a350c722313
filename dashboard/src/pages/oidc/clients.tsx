// OpenID clients: made with a secret that is shown once, changed, given another secret, removed.

import { useState } from 'react'
import type { OidcClient } from '../../../../wire/oidc-clients.ts'
import { post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { Confirm, SecretDialog } from '../../ui/dialog.tsx'
import { Button, Code, Copy, Empty, ErrorNote, Mono, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ClientForm } from './client-form.tsx'

type Task = { readonly kind: 'change' | 'rotate' | 'remove'; readonly client: OidcClient } | { readonly kind: 'create' }

export function ClientsPage() {
  const words = useWords()
  const here = useHere()
  useTitle(words.clients.title)
  const clients = useAnswer('@/clients')
  const [task, setTask] = useState<Task | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const columns = useColumns(setTask)
  const end = () => setTask(null)
  const done = (made: string | null) => {
    end()
    setSecret(made)
  }
  return (
    <>
      <PageTitle title={words.clients.title} lead={words.clients.lead}>
        {here.mayChange && clients.data?.data.length !== 0 && (
          <Button tone="primary" onClick={() => setTask({ kind: 'create' })}>
            {words.clients.create}
          </Button>
        )}
      </PageTitle>
      <ErrorNote error={clients.error} again={() => clients.refetch()} />
      {clients.data === undefined ? (
        clients.error === null && <Skeleton />
      ) : (
        <>
          <p className="mb-1 text-sm text-soft">{words.clients.issuer}</p>
          <div className="mb-7 flex flex-wrap items-center gap-x-3 gap-y-2 sm:flex-nowrap">
            <div className="min-w-0 grow">
              <Code>{clients.data.issuer}</Code>
            </div>
            <Copy text={clients.data.issuer} />
          </div>
          <ClaimsNotice clients={clients.data.data} />
          {clients.data.data.length === 0 ? (
            <Empty title={words.clients.empty}>
              <p>{words.clients.emptyLead}</p>
              {here.mayChange && (
                <Button tone="primary" className="mt-5" onClick={() => setTask({ kind: 'create' })}>
                  {words.clients.create}
                </Button>
              )}
            </Empty>
          ) : (
            <Table caption={words.clients.title} columns={columns} rows={clients.data.data} keyOf={({ id }) => id} />
          )}
        </>
      )}
      {task?.kind === 'create' && <ClientForm client={null} onClose={end} onDone={done} />}
      {task?.kind === 'change' && <ClientForm client={task.client} onClose={end} onDone={done} />}
      {task?.kind === 'rotate' && <Rotate client={task.client} onClose={end} onDone={done} />}
      {task?.kind === 'remove' && <Remove client={task.client} onClose={end} />}
      {secret !== null && (
        <SecretDialog
          title={words.clients.shownOnce}
          lead={words.clients.shownOnceLead}
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
    </>
  )
}

/** Clients from before 0.2.0 get all claims in the ID token, until that is turned off. */
function ClaimsNotice({ clients }: { clients: readonly OidcClient[] }) {
  const words = useWords()
  const named = clients.filter((client) => client.claims_in_id_token).map(({ name }) => name)
  return named.length === 0 ? null : <Note tone="warn">{words.clients.claimsInIdTokenNotice(named.join(', '))}</Note>
}

function useColumns(begin: (task: Task) => void): Column<OidcClient>[] {
  const words = useWords()
  const here = useHere()
  const button = (client: OidcClient, kind: 'change' | 'rotate' | 'remove') => (
    <Button
      {...(kind === 'remove' ? { tone: 'danger' as const } : {})}
      aria-label={`${words.clients[kind]}: ${client.name}`}
      onClick={() => begin({ kind, client })}
    >
      {words.clients[kind]}
    </Button>
  )
  return [
    { head: words.clients.name, cell: (client) => <span className="font-medium">{client.name}</span> },
    { head: words.clients.id, cell: (client) => <Mono>{client.id}</Mono> },
    {
      head: words.clients.templates,
      cell: (client) => <span className="text-soft">{client.templates.join(', ')}</span>,
    },
    {
      head: words.clients.redirects,
      cell: (client) => <span className="break-all text-soft">{client.redirect_uris.join(' ')}</span>,
    },
    {
      head: '',
      cell: (client) =>
        here.mayChange && (
          <div className="flex flex-wrap justify-end gap-2">
            {button(client, 'change')}
            {client.auth_method === 'client_secret' && button(client, 'rotate')}
            {button(client, 'remove')}
          </div>
        ),
    },
  ]
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
  const words = useWords()
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={words.clients.rotateTitle(client.name)}
      lead={words.clients.rotateLead(here.me.terms.secret_overlap_hours)}
      word={words.clients.rotate}
      onClose={onClose}
      action={async () => {
        const answer = await act(() => post('@/clients/:id/secret', {}, here.at({ id: client.id })))
        if (answer.outcome === 'done') onDone(answer.secret)
      }}
    />
  )
}

function Remove({ client, onClose }: { client: OidcClient; onClose(): void }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={words.clients.removeTitle(client.name)}
      lead={words.clients.removeLead}
      word={words.clients.remove}
      onClose={onClose}
      action={() => act(() => post('@/clients/:id/remove', {}, here.at({ id: client.id })))}
    />
  )
}
