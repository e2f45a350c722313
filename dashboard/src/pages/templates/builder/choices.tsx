// Check boxes for the claims to request, and for the documents to accept.

import type { ReactNode } from 'react'
import { answerLabel, documentLabel } from '../../../../../labels/catalogue.ts'
import { formatLabel, useLabels } from '../../../labels.ts'
import { useHere } from '../../../session.tsx'
import { CheckField, Note, TextField } from '../../../ui/parts.tsx'
import { ageOf, DOCUMENT_IDS, DOCUMENTS, type DocumentId, type FactId, type RequestedClaim } from './documents.ts'
import { type Choice, documentsOf, lackingIn } from './question.ts'
import { useBuilderWords } from './words.ts'

const GROUPS: readonly (readonly [name: 'person' | 'contact' | 'document' | 'driving', facts: readonly FactId[]])[] = [
  ['person', ['given_name', 'family_name', 'birth_date', 'birth_place', 'nationalities', 'sex', 'portrait']],
  ['contact', ['address', 'email', 'phone_number']],
  [
    'document',
    [
      'document_number',
      'issuing_country',
      'issuing_authority',
      'issue_date',
      'expiry_date',
      'personal_administrative_number',
    ],
  ],
  ['driving', ['driving_privileges']],
]
const FIRST_AGE = 18

interface Props {
  choice: Choice
  onChange(choice: Choice): void
}

interface ChoicesProps extends Props {
  /** Shown directly below the claims that it is about. */
  advice?: ReactNode
}

export function Choices({ choice, onChange, advice }: ChoicesProps) {
  const words = useBuilderWords()
  const set = (one: RequestedClaim, isOn: boolean) =>
    onChange({
      ...choice,
      requested: isOn ? [...choice.requested, one] : choice.requested.filter((other) => other !== one),
    })
  return (
    <>
      <Section title={words.learn} lead={words.learnLead}>
        <Group title={words.groups.age}>
          <Age choice={choice} onChange={onChange} />
        </Group>
        {GROUPS.map(([name, facts]) => (
          <Group key={name} title={words.groups[name]}>
            <div className="grid gap-x-4 sm:grid-cols-2 xl:grid-cols-3">
              {facts.map((fact) => (
                <Fact
                  key={fact}
                  fact={fact}
                  isOn={choice.requested.includes(fact)}
                  onChange={(isOn) => set(fact, isOn)}
                />
              ))}
            </div>
          </Group>
        ))}
        {advice}
      </Section>
      <Section title={words.accept} lead={words.acceptLead}>
        <Documents choice={choice} onChange={onChange} />
      </Section>
    </>
  )
}

export function Section({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  return (
    <section className="mb-8">
      <h3 className="text-base font-semibold">{title}</h3>
      {lead !== undefined && <p className="text-sm text-soft">{lead}</p>}
      <div className="mt-3">{children}</div>
    </section>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="mb-3 rounded-xl border border-line px-4 pt-3 pb-2">
      <legend className="float-left mb-2 w-full text-sm font-medium">{title}</legend>
      <div className="clear-both">{children}</div>
    </fieldset>
  )
}

function Fact({ fact, isOn, onChange }: { fact: FactId; isOn: boolean; onChange(isOn: boolean): void }) {
  const words = useBuilderWords()
  const labels = useLabels()
  return (
    <CheckField
      label={answerLabel(labels, fact)}
      hint={words.hints[fact]}
      checked={isOn}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}

function Age({ choice, onChange }: Props) {
  const words = useBuilderWords()
  const requestedAge = choice.requested.find((one) => ageOf(one) !== null)
  const withAge = (age: number | null) => {
    const others = choice.requested.filter((one) => ageOf(one) === null)
    if (age === null) return onChange({ ...choice, requested: others })
    const at = requestedAge === undefined ? 0 : choice.requested.indexOf(requestedAge)
    onChange({ ...choice, requested: others.toSpliced(at, 0, `age_over_${age}`) })
  }
  return (
    <>
      <CheckField
        label={words.age}
        hint={words.ageHint}
        checked={requestedAge !== undefined}
        onChange={(event) => withAge(event.currentTarget.checked ? FIRST_AGE : null)}
      />
      {requestedAge !== undefined && (
        <TextField
          key="years"
          label={words.years}
          type="number"
          min={1}
          max={99}
          required
          defaultValue={ageOf(requestedAge) ?? FIRST_AGE}
          onChange={(event) => {
            const age = event.currentTarget.valueAsNumber
            if (Number.isInteger(age) && age >= 1 && age <= 99) withAge(age)
          }}
        />
      )}
    </>
  )
}

function Documents({ choice, onChange }: Props) {
  const words = useBuilderWords()
  const set = (id: DocumentId, isOn: boolean) =>
    onChange({
      ...choice,
      documents: DOCUMENT_IDS.filter((one) => (one === id ? isOn : choice.documents.includes(one))),
    })
  return (
    <>
      {DOCUMENT_IDS.map((id) => (
        <Document key={id} id={id} choice={choice} onChange={(isOn) => set(id, isOn)} />
      ))}
      {choice.requested.length > 0 && documentsOf(choice).length === 0 && <Note tone="warn">{words.noDocument}</Note>}
    </>
  )
}

function Document({ id, choice, onChange }: { id: DocumentId; choice: Choice; onChange(isOn: boolean): void }) {
  const words = useBuilderWords()
  const labels = useLabels()
  const { formats } = useHere().me.terms
  const { type, format } = DOCUMENTS[id]
  const lacking = lackingIn(id, choice).map((one) => answerLabel(labels, one))
  return (
    <CheckField
      label={`${documentLabel(labels, type) ?? type} · ${formatLabel(formats, format)}`}
      hint={lacking.length === 0 ? undefined : words.lacks(lacking.join(', '))}
      checked={lacking.length === 0 && choice.documents.includes(id)}
      disabled={lacking.length > 0}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}
