// Templates that ask for more than is registered, with the remedy; and registered claims that none asks for.

import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import type { RegistrationReport } from '../../../../wire/registration.ts'
import { claimsByDocument } from '../../claims-in-words.ts'
import { useLabels } from '../../labels.ts'
import { usePageWords } from '../../preferences.tsx'
import { useHere } from '../../session.tsx'
import { useTemplateTitle } from '../../template-titles.ts'
import { Button, buttonClass, Note } from '../../ui/parts.tsx'
import { registrationWords } from '../../words/registration.ts'
import { ConcernText } from './problem.tsx'
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
  const concerned = report.templates.filter(({ concerns }) => concerns.length > 0)
  return (
    <>
      <section ref={section} id={TEMPLATES_ID} tabIndex={-1} className="scroll-mt-4 outline-none">
        <h2 className="mb-3 font-semibold">{words.templates}</h2>
        {concerned.length === 0 && <p className="text-soft">{words.templatesGood}</p>}
        {concerned.map((template) => (
          <ConcernedTemplate key={template.key} {...{ template, onAdd }} />
        ))}
      </section>
      <UnusedClaims report={report} />
    </>
  )
}

/** Another certificate helps if the current one is wrong, or if the template cannot be changed. */
const needsCertificate = ({ built_in: isBuiltIn, concerns }: ReportedTemplate) =>
  isBuiltIn || concerns.every(({ intended_use: use }) => use !== null)

function ConcernedTemplate({ template, onAdd }: { template: ReportedTemplate; onAdd(): void }) {
  const { registration: words } = usePageWords(registrationWords)
  const here = useHere()
  const titleOf = useTemplateTitle()
  const { key, concerns } = template
  const title = titleOf(key)
  return (
    <Note tone="warn">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 basis-64 grow">
          <p className="font-medium">{title}</p>
          {concerns.map((concern) => (
            <div key={concern.reason.code}>
              <ConcernText concern={concern} />
              {concern.unregistered.length > 0 && <TechnicalClaims claims={concern.unregistered} />}
            </div>
          ))}
        </div>
        {here.mayChange &&
          (needsCertificate(template) ? (
            <Button aria-label={`${words.add}: ${title}`} onClick={onAdd}>
              {words.add}
            </Button>
          ) : (
            <Link
              to={here.page(`/templates?${new URLSearchParams({ edit: key })}`)}
              aria-label={`${words.editTemplate}: ${title}`}
              className={buttonClass('plain')}
            >
              {words.editTemplate}
            </Link>
          ))}
      </div>
    </Note>
  )
}

function UnusedClaims({ report }: { report: RegistrationReport }) {
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
            <p className="font-medium">{words.forUse(one.intended_use)}</p>
            <ul className="ml-5 list-disc">
              {claimsByDocument(labels, one.unused).map(({ document, claims }) => (
                <li key={document}>
                  {document}: {claims.length === 0 ? words.everyClaim : claims.join(', ')}
                </li>
              ))}
            </ul>
            <TechnicalClaims claims={one.unused} />
          </li>
        ))}
      </ul>
    </section>
  )
}
