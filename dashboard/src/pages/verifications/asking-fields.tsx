// Fields to start a verification: template, purpose and the merchant's reference.

import { useWords } from '../../preferences.tsx'
import { useAnswer, useHere } from '../../session.tsx'
import { titleOf } from '../../template-titles.ts'
import { ErrorNote, SelectField, Skeleton, TextField } from '../../ui/parts.tsx'

/** `template`: the preselected template; empty: preselects the template that asks for the least. */
export function TemplateChoice({ template: preselected }: { template: string }) {
  const words = useWords()
  const templates = useAnswer('@/templates')
  if (templates.data === undefined) {
    return templates.error === null ? (
      <Skeleton lines={2} />
    ) : (
      <ErrorNote error={templates.error} again={() => templates.refetch()} />
    )
  }
  // The merchant's own templates come first in the list.
  const known = templates.data.data.toSorted((a, b) => Number(a.built_in) - Number(b.built_in))
  const first = known.find(({ key }) => key === 'age_over_18') ?? known[0]
  const template = known.find(({ key }) => key === preselected)?.key ?? first?.key
  return (
    <SelectField label={words.asking.template} name="template" defaultValue={template} required>
      {known.map((one) => (
        <option key={one.key} value={one.key}>
          {titleOf(words, one)}
        </option>
      ))}
    </SelectField>
  )
}

export function PurposeAndReference() {
  return (
    <>
      <Purpose />
      <Reference />
    </>
  )
}

export function Purpose() {
  const { asking } = useWords()
  const { terms } = useHere().me
  return (
    <TextField
      label={`${asking.purpose} (${asking.optional})`}
      hint={asking.purposeHint}
      name="purpose"
      placeholder={asking.purposeExample}
      maxLength={terms.purpose_length_max}
      autoComplete="off"
    />
  )
}

function Reference() {
  const { asking } = useWords()
  const { terms } = useHere().me
  return (
    <TextField
      label={`${asking.reference} (${asking.optional})`}
      hint={asking.referenceHint}
      name="reference"
      placeholder={asking.referenceExample}
      maxLength={terms.reference_length_max}
      autoComplete="off"
    />
  )
}
