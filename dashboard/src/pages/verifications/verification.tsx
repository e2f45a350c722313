// The page of one verification: outcome, claims, checks, timeline and request.

import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import type { VerificationDetail } from '../../../../wire/verifications-staff.ts'
import { ApiError } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { useTemplateTitle } from '../../template-titles.ts'
import { buttonClass, Copy, Empty, ErrorNote, Mono, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { type RowAction, RowMenu } from '../../ui/row-menu.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { About, Metadata } from './detail/about.tsx'
import { Certificate } from './detail/certificate.tsx'
import { Checks } from './detail/checks.tsx'
import { Claims } from './detail/claims.tsx'
import { Outcome } from './detail/outcome.tsx'
import { Request } from './detail/request.tsx'
import { Timeline } from './detail/timeline.tsx'
import { Wallets } from './detail/wallets.tsx'
import { useVerificationWords } from './detail/words.ts'
import { OpenVerification } from './open-verification.tsx'
import { ReferenceText } from './reference-text.tsx'
import { Erase, Forget } from './verification-removal.tsx'

export function VerificationPage() {
  const words = useWords()
  const here = useHere()
  const { id = '' } = useParams()
  useTitle(words.verifications.title)
  const found = useAnswer('@/verifications/:id', { id, everyMs: 3_000 })
  const isGone = found.error instanceof ApiError && found.error.status === 404
  return (
    <>
      <Link to={here.page('/verifications')} className="mb-4 inline-block text-sm text-accent underline">
        ← {words.detail.back}
      </Link>
      {isGone && <Gone />}
      {found.error !== null && !isGone && (
        <>
          <PageTitle title={words.verifications.title} />
          <ErrorNote error={found.error} again={() => found.refetch()} />
        </>
      )}
      {found.data === undefined ? found.error === null && <Loading /> : !isGone && <Shown verification={found.data} />}
    </>
  )
}

function Shown({ verification }: { verification: VerificationDetail }) {
  const words = useWords()
  const here = useHere()
  const titleOf = useTemplateTitle()
  const [asking, setAsking] = useState<Removal | null>(null)
  const { id, template, status } = verification
  const close = () => setAsking(null)
  return (
    <>
      <PageTitle title={template === null ? words.verifications.ownQuery : titleOf(template)}>
        {verification.responded_at !== null && <Certificate id={id} />}
        <Actions verification={verification} ask={setAsking} />
      </PageTitle>
      <div className="-mt-4 mb-6 flex flex-wrap items-center gap-x-3 gap-y-1">
        <StatusMark name={status} />
        {verification.reference !== null && <ReferenceText reference={verification.reference} />}
        <span className="flex items-center gap-1">
          <Mono>{id}</Mono>
          <Copy isSmall text={id} label={words.verifications.copyId} />
        </span>
      </div>
      <Outcome verification={verification} />
      <OpenVerification verification={verification} />
      <TryIt open={verification.open} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,1fr)_23rem] xl:grid-rows-[auto_1fr]">
        <div className="space-y-5 empty:hidden">
          {status !== 'failed' && status !== 'expired' && <Claims verification={verification} />}
          {status !== 'pending' && status !== 'expired' && <Checks verification={verification} />}
        </div>
        <div className="space-y-5 xl:row-span-2">
          <Timeline verification={verification} />
          <About verification={verification} />
          <Metadata metadata={verification.metadata} />
        </div>
        <div className="space-y-5">
          {(here.mayChange || status !== 'pending') && <Request id={id} />}
          <Wallets requests={verification.requests} />
        </div>
      </div>
      {asking === 'forget' && <Forget id={id} onClose={close} />}
      {asking === 'erase' && <Erase id={id} onClose={close} />}
    </>
  )
}

type Removal = 'erase' | 'forget'

/** A pending verification must be cancelled first. */
function Actions({ verification, ask }: { verification: VerificationDetail; ask(removal: Removal): void }) {
  const words = useWords()
  const here = useHere()
  const navigate = useNavigate()
  const { id, responded_at: answered, status } = verification
  const mayRemove = here.mayChange && status !== 'pending'
  const actions: readonly (RowAction | false)[] = [
    answered !== null && {
      label: words.proof.show,
      icon: 'verifications',
      onChoose: () => void navigate(here.page(`/proof?verification=${id}`)),
    },
    mayRemove &&
      hasContent(verification) && {
        label: words.forgetting.forget,
        icon: 'hidden',
        isDanger: true,
        onChoose: () => ask('forget'),
      },
    mayRemove && { label: words.detail.erase, icon: 'remove', isDanger: true, onChoose: () => ask('erase') },
  ]
  return <RowMenu isFramed label={words.detail.more} actions={actions.filter((action) => action !== false)} />
}

/** Also for roles that may not see values. */
const hasContent = ({ claim_names: names, credentials }: VerificationDetail) => names !== null || credentials.length > 0

/** With the sandbox, the reader can answer as the holder. */
function TryIt({ open }: Pick<VerificationDetail, 'open'>) {
  const words = useVerificationWords()
  const here = useHere()
  if (open === null || here.environment !== 'test' || !here.me.service.sandbox) return null
  return (
    <p className="mb-5 flex flex-wrap items-center gap-3">
      {words.tryIt}
      <a
        href={`/sandbox/wallet?uri=${encodeURIComponent(open.wallet_uri)}`}
        target="_blank"
        rel="noreferrer"
        className={buttonClass('plain')}
      >
        {words.testWallet}
      </a>
    </p>
  )
}

/** For a verification that never existed, belongs to another company or environment, or was deleted. Links to the audit trail. */
function Gone() {
  const words = useVerificationWords()
  const here = useHere()
  return (
    <Empty isPage title={words.gone} icon="search">
      <p>{words.goneLead}</p>
      <Link to={here.page('/audit')} className={`${buttonClass('plain')} mt-5`}>
        {words.goneAudit}
      </Link>
    </Empty>
  )
}

/** Placeholders while the page loads. */
function Loading() {
  return (
    <>
      <Skeleton lines={2} />
      <div className="mt-4 grid gap-5 xl:grid-cols-[minmax(0,1fr)_23rem]">
        <Skeleton lines={6} />
        <Skeleton lines={4} />
      </div>
    </>
  )
}
