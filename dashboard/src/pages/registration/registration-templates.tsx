// Templates that ask for more than is registered, with the remedy; and registered claims that no template asks for.

import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import type { RegistrationReport } from '../../../../wire/registration.ts'
import { claimsByDocument } from '../../claims-in-words.ts'
import { useLabels } from '../../labels.ts'
import { usePageWords, usePreferences } from '../../preferences.tsx'
import { useHere } from '../../session.tsx'
import { useTemplateTitle } from '../../template-titles.ts'
import { Button, buttonClass, Note } from '../../ui/parts.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { registrationWords } from '../../words/registration.ts'
import { ConcernText } from './problem.tsx'
import { purposeIn } from './registration-certificates.tsx'
import { TechnicalClaims } from './technical-claims.tsx'

/** The target of links from step 3 and from the page of templates. */
export const TEMPLATES_ID = 'templates'

type ReportedTemplate = RegistrationReport['templates'][number]

export function TemplatesInUse({ report, onAdd }: { report: RegistrationReport; onAdd(): void }) {
  const { registration: words } = usePageWords(registrationWords)
  const section = useRef<HTMLElement>(null)
  const { hash } = useLocation()
  // The browser looked for the anchor before the report was loaded.
  useEffect(() => {
    if (hash === `#${TEMPLATES_ID}`) section.current?.scrollIntoView()
  }, [hash])
  const { language } = usePreferences()
  const titleOf = useTemplateTitle()
  const nameOfUse = (use: string) => {
    const certificate = report.certificates.find(({ intended_use: own }) => own === use)
    return (certificate === undefined ? undefined : purposeIn(certificate, language)?.text) ?? use
  }
  // With a single certificate the purpose is the same in each row: it is named once, above.
  const [only] = report.certificates
  const sameUse = report.certificates.length === 1 && only !== undefined ? nameOfUse(only.intended_use) : null
  const form = sameUse === null ? 'sentence' : 'names'
  const concerned = report.templates.filter(({ concerns }) => concerns.length > 0)
  const columns: Column<ReportedTemplate>[] = [
    { head: words.template, cell: ({ key }) => <span className="font-medium">{titleOf(key)}</span> },
    {
      head: words.unregistered,
      isLong: true,
      cell: ({ concerns }) =>
        concerns.map((concern) => (
          <p key={concern.reason.code}>
            <ConcernText {...{ concern, nameOfUse, form }} />
          </p>
        )),
    },
    { head: '', cell: (template) => <Remedy {...{ template, onAdd }} title={titleOf(template.key)} /> },
  ]
  return (
    <>
      <section ref={section} id={TEMPLATES_ID} tabIndex={-1} className="scroll-mt-4 outline-none">
        <h2 className="mb-3 font-semibold">{words.templates}</h2>
        {concerned.length === 0 && <p className="text-soft">{words.templatesGood}</p>}
        {concerned.length > 0 && (
          <>
            <Note tone="warn">{words.templatesBeyond(concerned.length, sameUse)}</Note>
            <Table caption={words.templates} columns={columns} rows={concerned} keyOf={({ key }) => key} />
          </>
        )}
      </section>
      <UnusedClaims report={report} nameOfUse={nameOfUse} />
    </>
  )
}

/** Another certificate helps if the current one is wrong, or if the template cannot be changed. */
const needsCertificate = ({ built_in: isBuiltIn, concerns }: ReportedTemplate) =>
  isBuiltIn || concerns.every(({ intended_use: use }) => use !== null)

function Remedy({ template, title, onAdd }: { template: ReportedTemplate; title: string; onAdd(): void }) {
  const { registration: words } = usePageWords(registrationWords)
  const here = useHere()
  if (!here.mayChange) return null
  return needsCertificate(template) ? (
    <Button aria-label={`${words.add}: ${title}`} onClick={onAdd}>
      {words.add}
    </Button>
  ) : (
    <Link
      to={here.page(`/templates?${new URLSearchParams({ edit: template.key })}`)}
      aria-label={`${words.editTemplate}: ${title}`}
      className={buttonClass('plain')}
    >
      {words.editTemplate}
    </Link>
  )
}

function UnusedClaims({ report, nameOfUse }: { report: RegistrationReport; nameOfUse(use: string): string }) {
  const { registration: words } = usePageWords(registrationWords)
  const labels = useLabels()
  const unused = report.under_use.filter((one) => one.unused.length > 0)
  if (unused.length === 0) return null
  return (
    <section>
      <h2 className="mb-3 font-semibold">{words.underUse}</h2>
      <p className="mb-3 max-w-[62ch] text-soft">{words.underUseLead}</p>
      <ul className="space-y-2 text-sm">
        {unused.map((one) => (
          <li key={one.intended_use}>
            <p className="font-medium">{words.forUse(nameOfUse(one.intended_use))}</p>
            <ul className="ml-5 list-disc">
              {claimsByDocument(labels, one.unused).map(({ document, claims }) => (
                <li key={document}>
                  {document}: {claims.length === 0 ? words.everyClaim : claims.join(', ')}
                </li>
              ))}
            </ul>
            <TechnicalClaims claims={one.unused} />
            {one.unused_count > one.unused.length && (
              <p className="text-soft">{words.moreUnused(one.unused_count - one.unused.length)}</p>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
