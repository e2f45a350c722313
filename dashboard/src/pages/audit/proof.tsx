// A receipt, a proof or an export is verified here, in the browser; beside it how the public log and its witnesses fare.

import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { LogState } from '../../../../wire/receipts.ts'
import { usePreferences, useWords } from '../../preferences.tsx'
import { useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { FileField } from '../../ui/file-field.tsx'
import { AreaField, Card, ErrorNote, Mono, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { localeOf, Time } from '../../ui/time.tsx'
import { FILE_BYTES_MAX, kindOf, type Shown, verifyFiles } from '../../verify-file.ts'
import { TreeWay } from './tree-way.tsx'

interface Files {
  readonly receipt: string | null
  readonly proof: string | null
  readonly exported: string | null
}

const NO_FILES: Files = { receipt: null, proof: null, exported: null }

export function ProofPage() {
  const words = useWords()
  const here = useHere()
  useTitle(words.proof.title)
  const [params] = useSearchParams()
  const id = params.get('verification')
  const log = useAnswer('@/log')
  return (
    <>
      <Link
        to={here.page(id === null ? '/audit' : `/verifications/${id}`)}
        className="mb-4 inline-block text-sm text-accent underline"
      >
        ← {id === null ? words.audit.title : words.verifications.title}
      </Link>
      <PageTitle title={words.proof.title} lead={words.proof.lead} />
      <ErrorNote error={log.error} />
      {log.data === undefined ? (
        log.error === null && <Skeleton lines={6} />
      ) : (
        <div className="space-y-5">
          {id === null ? <Verifier log={log.data} first={NO_FILES} /> : <OfVerification log={log.data} id={id} />}
          <PublicLog log={log.data} />
        </div>
      )}
    </>
  )
}

function OfVerification({ log, id }: { log: LogState; id: string }) {
  const { proof: words } = useWords()
  const files = useAnswer('@/verifications/:id/receipt', { id })
  if (files.data === undefined) return files.error === null ? <Skeleton lines={4} /> : <ErrorNote error={files.error} />
  const { receipt, proof } = files.data
  return (
    <>
      {proof === null && <Note tone="plain">{words.notYet}</Note>}
      <Verifier key={String(proof)} log={log} first={{ receipt, proof, exported: null }} />
    </>
  )
}

/** Public, and the same for everybody: not one of the dashboard's own routes. */
async function fetchReceiptKeys(): Promise<{ keys: object[] }> {
  const answer = await fetch('/log/receipt-keys', { credentials: 'omit' })
  if (!answer.ok) throw new Error('the keys of receipts could not be read')
  return answer.json()
}

function Verifier({ log, first }: { log: LogState; first: Files }) {
  const { proof: words } = useWords()
  const [files, setFiles] = useState(first)
  const [logKey, setLogKey] = useState(log.key)
  const [witnessKeys, setWitnessKeys] = useState(log.witnesses.map(({ key }) => key).join('\n'))
  const [refused, setRefused] = useState<string | null>(null)
  const [shown, setShown] = useState<Shown | null>(null)
  const keys = useQuery({ queryKey: ['receipt-keys'], queryFn: fetchReceiptKeys })
  useEffect(() => {
    if (keys.data === undefined || Object.values(files).every((file) => file === null)) return undefined
    let isStale = false
    const witnesses = witnessKeys.split('\n').filter((line) => line.trim() !== '')
    void verifyFiles({ ...files, keys: { log: logKey, witnesses }, receiptKeys: keys.data }).then((found) => {
      if (!isStale) setShown(found)
    })
    return () => {
      isStale = true
    }
  }, [files, logKey, witnessKeys, keys.data])
  const take = async (given: readonly File[]) => {
    let [next, problem]: [Files, string | null] = [NO_FILES, null]
    for (const file of given) {
      const text = file.size > FILE_BYTES_MAX ? null : await file.text()
      const kind = text === null ? null : kindOf(text)
      if (kind === null) problem = text === null ? words.tooLarge(file.name) : words.unknown(file.name)
      next = { ...next, ...(kind === null ? {} : { [kind === 'export' ? 'exported' : kind]: text }) }
    }
    // A proof that is dropped after its receipt belongs to it, and the other way round.
    const together = next.exported === null && (next.receipt === null) !== (next.proof === null)
    setShown(null)
    setRefused(problem)
    setFiles(
      together ? { receipt: next.receipt ?? files.receipt, proof: next.proof ?? files.proof, exported: null } : next,
    )
  }
  return (
    <>
      <FileField label={words.drop} hint={words.dropHint} multiple onFiles={(given) => void take(given)} />
      {refused !== null && <Note tone="bad">{refused}</Note>}
      <ErrorNote error={keys.error} />
      {files.proof !== null && files.receipt === null && <Note tone="warn">{words.noReceipt}</Note>}
      {shown !== null && <Outcome shown={shown} />}
      <Card title={words.keys}>
        <p className="mb-4 text-sm text-soft">
          {words.keysLead} {words.receiptKeys}
        </p>
        <AreaField label={words.logKey} rows={3} value={logKey} onChange={(event) => setLogKey(event.target.value)} />
        <AreaField
          label={words.witnessKeys}
          rows={Math.max(2, log.witnesses.length)}
          value={witnessKeys}
          onChange={(event) => setWitnessKeys(event.target.value)}
        />
      </Card>
    </>
  )
}

function Outcome({ shown }: { shown: Shown }) {
  const words = useWords()
  const { proof } = words
  const { problem, leaf, chain } = shown
  const { proven, notProven } = useSentences(shown)
  if (problem !== null) {
    return (
      <Note tone="bad">
        <p className="font-medium">{proof.broken}</p>
        <p>
          {proof.problems[problem.code] ?? problem.code} {problem.seq === null ? '' : proof.entry(problem.seq)}
        </p>
      </Note>
    )
  }
  const way = leaf ?? chain?.logged ?? null
  return (
    <div className={`grid gap-5 ${way === null ? '' : 'xl:grid-cols-2'}`}>
      <Card title={proof.holds}>
        <Sentences title={proof.proven} mark="ok" sentences={proven} />
        <Sentences title={proof.notProven} mark="warning" sentences={notProven} />
      </Card>
      {way !== null && (
        <Card title={proof.picture}>
          <TreeWay leaf={way} />
        </Card>
      )}
    </div>
  )
}

function Sentences({
  title,
  mark,
  sentences,
}: {
  title: string
  mark: 'ok' | 'warning'
  sentences: readonly string[]
}) {
  if (sentences.length === 0) return null
  return (
    <section className="mb-5 last:mb-0">
      <h3 className="mb-2">
        <StatusMark name={mark} word={title} />
      </h3>
      <ul className="list-disc space-y-1 pl-5 wrap-anywhere">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  )
}

/** What was shown and what was not: nobody should believe more of a proof than it proves. */
function useSentences({ receipt, leaf, chain }: Shown): { proven: string[]; notProven: string[] } {
  const { proof: words } = useWords()
  const { language } = usePreferences()
  const when = (seconds: number) =>
    new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeStyle: 'medium' }).format(seconds * 1000)
  const logged = leaf ?? chain?.logged ?? null
  const proven: string[] = []
  const notProven: string[] = []
  if (receipt !== null) {
    proven.push(words.genuine(receipt.jti, receipt.env))
    proven.push(
      `${words.verdict[receipt.verdict]}${receipt.code === undefined ? '' : ` (${receipt.code})`}, ${words.at(when(receipt.iat))}.`,
    )
    if (leaf === null) notProven.push(words.notLogged)
    notProven.push(words.notResult)
  }
  if (chain !== null) {
    proven.push(words.chain(chain.entries))
    if (chain.detailsErased > 0) proven.push(words.erased(chain.detailsErased))
    proven.push(words.chainLogged(chain.logged.seq, chain.logged.index, chain.logged.origin))
    const newer = chain.entries - chain.logged.seq
    if (newer > 0) notProven.push(words.newer(newer))
  }
  if (leaf !== null) proven.push(words.included(leaf.index, leaf.origin, leaf.size))
  if (logged !== null) {
    for (const { witness, at } of logged.cosigned) proven.push(words.witnessed(witness, when(at)))
    if (logged.cosigned.length === 0) notProven.push(words.noWitness)
  }
  if (receipt !== null || chain !== null) notProven.push(words.notTrue)
  return { proven, notProven }
}

function PublicLog({ log }: { log: LogState }) {
  const { proof: words } = useWords()
  const columns: Column<LogState['witnesses'][number]>[] = [
    { head: words.witness, cell: ({ name }) => <span className="wrap-anywhere">{name}</span> },
    {
      head: words.state,
      cell: ({ state }) => (
        <StatusMark
          name={state === 'cosigned' ? 'ok' : state === 'ahead' || state === 'forked' ? 'failed' : 'warning'}
          word={words.states[state] ?? state}
        />
      ),
    },
    { head: words.cosigned, cell: ({ cosigned_at: at }) => <Time at={at} /> },
  ]
  return (
    <Card title={words.log}>
      <p className="mb-3 text-sm text-soft">{words.logLead}</p>
      {log.halted && <Note tone="bad">{words.halted}</Note>}
      {log.origin !== null && (
        <p className="mb-4">
          <Mono>{log.origin}</Mono> · {words.leaves(log.size)} · {words.signed} <Time at={log.signed_at} />
        </p>
      )}
      {log.witnesses.length === 0 ? (
        <p>{words.noWitnesses}</p>
      ) : (
        <Table caption={words.witnesses} columns={columns} rows={log.witnesses} keyOf={({ name }) => name} />
      )}
    </Card>
  )
}
