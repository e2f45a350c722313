// The page that checks a receipt or an export of the audit trail in the browser.

import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { LogState } from '../../../../wire/receipts.ts'
import { usePageWords, usePreferences, useWords } from '../../preferences.tsx'
import { useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { useTemplateTitle } from '../../template-titles.ts'
import { FileField } from '../../ui/file-field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { AreaField, Card, ErrorNote, Mono, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { localeOf, Time } from '../../ui/time.tsx'
import { FILE_BYTES_MAX, kindOf, type Shown, verifyFiles } from '../../verify-file.ts'
import { proofWords } from '../../words/proof.ts'
import { TreePath } from './tree-path.tsx'

interface Files {
  readonly receipt: string | null
  readonly proof: string | null
  readonly exported: string | null
}

const NO_FILES: Files = { receipt: null, proof: null, exported: null }

export function ProofPage() {
  const words = useWords()
  const pageWords = usePageWords(proofWords)
  const here = useHere()
  const [params] = useSearchParams()
  const id = params.get('verification')
  const title = id === null ? pageWords.title : words.proof.show
  useTitle(title)
  const log = useAnswer('@/log')
  return (
    <>
      <Link
        to={here.page(id === null ? '/audit' : `/verifications/${id}`)}
        className="mb-4 inline-block text-sm text-accent underline"
      >
        ← {id === null ? words.audit.title : pageWords.toVerification}
      </Link>
      <PageTitle title={title} lead={pageWords.lead} />
      <ErrorNote error={log.error} />
      {log.data === undefined ? (
        log.error === null && <Skeleton lines={6} />
      ) : id === null ? (
        <Verifier log={log.data} first={NO_FILES} />
      ) : (
        <OfVerification log={log.data} id={id} />
      )}
    </>
  )
}

function OfVerification({ log, id }: { log: LogState; id: string }) {
  const files = useAnswer('@/verifications/:id/receipt', { id })
  if (files.data === undefined) return files.error === null ? <Skeleton lines={4} /> : <ErrorNote error={files.error} />
  const { receipt, proof } = files.data
  return <Verifier key={String(proof)} log={log} first={{ receipt, proof, exported: null }} isLogged={proof !== null} />
}

/** Calls a public route, which needs no session. */
async function fetchReceiptKeys(): Promise<{ keys: object[] }> {
  const answer = await fetch('/log/receipt-keys', { credentials: 'omit' })
  if (!answer.ok) throw new Error('the receipt keys could not be loaded')
  return answer.json()
}

function Verifier({ log, first, isLogged = true }: { log: LogState; first: Files; isLogged?: boolean }) {
  const words = usePageWords(proofWords)
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
  const take = async (dropped: readonly File[]) => {
    let [next, problem]: [Files, string | null] = [NO_FILES, null]
    for (const file of dropped) {
      const text = file.size > FILE_BYTES_MAX ? null : await file.text()
      const kind = text === null ? null : kindOf(text)
      if (kind === null) problem = text === null ? words.tooLarge(file.name) : words.unknown(file.name)
      next = { ...next, ...(kind === null ? {} : { [kind === 'export' ? 'exported' : kind]: text }) }
    }
    // A receipt and a proof that are dropped one after the other belong together.
    const together = next.exported === null && (next.receipt === null) !== (next.proof === null)
    setShown(null)
    setRefused(problem)
    setFiles(
      together ? { receipt: next.receipt ?? files.receipt, proof: next.proof ?? files.proof, exported: null } : next,
    )
  }
  const provenLeaf = shown?.leaf ?? shown?.chain?.logged ?? null
  return (
    <div className="max-w-3xl space-y-5">
      {shown !== null && <Verdict shown={shown} />}
      {!isLogged && files === first && <Note tone="plain">{words.notYet}</Note>}
      {files.proof !== null && files.receipt === null && <Note tone="warn">{words.noReceipt}</Note>}
      {refused !== null && <Note tone="bad">{refused}</Note>}
      {log.halted && <Note tone="bad">{words.halted}</Note>}
      <ErrorNote error={keys.error} />
      <Card>
        <div className="-mb-4">
          <FileField
            label={shown === null ? words.drop : words.dropOther}
            hint={words.dropHint}
            isLarge={shown === null}
            multiple
            onFiles={(dropped) => void take(dropped)}
          />
        </div>
      </Card>
      <Card>
        <details>
          <summary className="font-semibold">{words.advanced}</summary>
          <div className="mt-5 space-y-8">
            <section aria-label={words.keys}>
              <h2 className="mb-2 font-medium">{words.keys}</h2>
              <p className="mb-4 text-sm text-soft">
                {words.keysLead} {words.receiptKeys}
              </p>
              <AreaField
                label={words.logKey}
                rows={3}
                value={logKey}
                onChange={(event) => setLogKey(event.target.value)}
              />
              <AreaField
                label={words.witnessKeys}
                rows={Math.max(2, log.witnesses.length)}
                value={witnessKeys}
                onChange={(event) => setWitnessKeys(event.target.value)}
              />
            </section>
            {provenLeaf !== null && (
              <section aria-label={words.picture}>
                <h2 className="mb-4 font-medium">{words.picture}</h2>
                <TreePath leaf={provenLeaf} />
              </section>
            )}
            <PublicLog log={log} />
          </div>
        </details>
      </Card>
    </div>
  )
}

/** Shows the verdict in one sentence, then the facts, then (folded) what they do not prove. */
function Verdict({ shown }: { shown: Shown }) {
  const proof = usePageWords(proofWords)
  const { problem, receipt, chain } = shown
  const { facts, limits } = useSentences(shown)
  if (problem === null && receipt === null && chain === null) return null
  const isGood = problem === null
  return (
    <section
      role="status"
      className={`rounded-2xl border border-line border-l-4 bg-surface p-5 sm:p-6 ${isGood ? 'border-l-good' : 'border-l-bad'}`}
    >
      <div className="flex items-start gap-4">
        <span
          className={`grid size-10 shrink-0 place-items-center rounded-full ${isGood ? 'bg-good-soft text-good' : 'bg-bad-soft text-bad'}`}
        >
          <Icon name={isGood ? 'check' : 'fail'} className="size-5" />
        </span>
        <div className="min-w-0">
          <h2 className="text-lg font-semibold">{isGood ? proof.holds : proof.broken}</h2>
          {problem !== null && (
            <p className="mt-1">
              {proof.problems[problem.code] ?? problem.code} {problem.seq === null ? '' : proof.entry(problem.seq)}
            </p>
          )}
          {isGood && (
            <>
              {receipt !== null && (
                <p className="mt-2">
                  {proof.verification}: <Mono>{receipt.jti}</Mono>
                </p>
              )}
              <ul className="mt-2 space-y-1 wrap-anywhere">
                {facts.map((fact) => (
                  <li key={fact}>{fact}</li>
                ))}
              </ul>
              <details className="mt-4 text-sm text-soft">
                <summary className="min-h-6">{proof.limits}</summary>
                <ul className="mt-2 list-disc space-y-1 pl-5">
                  {limits.map((limit) => (
                    <li key={limit}>{limit}</li>
                  ))}
                </ul>
              </details>
            </>
          )}
        </div>
      </div>
    </section>
  )
}

/** Returns the facts that the files prove, and the limits of the proof. */
function useSentences({ receipt, leaf, chain }: Shown): { facts: string[]; limits: string[] } {
  const words = usePageWords(proofWords)
  const { failures } = useWords()
  const titleOf = useTemplateTitle()
  const { language } = usePreferences()
  const when = (seconds: number) =>
    new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeStyle: 'short' }).format(seconds * 1000)
  const logged = leaf ?? chain?.logged ?? null
  const facts: string[] = []
  const limits: string[] = []
  if (receipt !== null) {
    facts.push(words.genuine(when(receipt.iat)))
    const { template } = receipt.asked
    if (template !== undefined) facts.push(words.about(titleOf(template)))
    facts.push(`${words.verdict[receipt.verdict]}${receipt.env === 'test' ? ` ${words.inTest}` : ''}`)
    if (receipt.code !== undefined) facts.push(failures[receipt.code] ?? receipt.code)
    if (leaf === null) limits.push(words.notLogged)
    limits.push(words.notResult)
  }
  if (chain !== null) {
    facts.push(words.chain(chain.entries))
    const erased = chain.detailsErased - chain.erasuresNotLogged
    if (erased > 0) facts.push(words.erased(erased))
    facts.push(words.chainLogged(chain.logged.seq, chain.logged.index, chain.logged.origin))
    const newer = chain.entries - chain.logged.seq
    if (newer > 0) limits.push(words.newer(newer))
    if (chain.checkpointsNotChecked > 0) limits.push(words.notesNotChecked(chain.checkpointsNotChecked))
    if (chain.erasuresNotLogged > 0) limits.push(words.erasuresNewer(chain.erasuresNotLogged))
  }
  if (leaf !== null) facts.push(words.included(leaf.index, leaf.origin, leaf.size))
  if (logged !== null) {
    for (const { witness, at } of logged.cosigned) facts.push(words.witnessed(witness, when(at)))
    if (logged.cosigned.length === 0) limits.push(words.noWitness)
  }
  if (receipt !== null || chain !== null) limits.push(words.notTrue)
  return { facts, limits }
}

function PublicLog({ log }: { log: LogState }) {
  const words = usePageWords(proofWords)
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
    <section aria-label={words.log}>
      <h2 className="mb-2 font-medium">{words.log}</h2>
      <p className="mb-3 text-sm text-soft">{words.logLead}</p>
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
    </section>
  )
}
