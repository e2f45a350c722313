// The form for the look of hosted page and tills, next to a preview.

import { type ChangeEvent, useState } from 'react'
import type { Branding } from '../../../../wire/branding.ts'
import { post } from '../../api.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { FileField } from '../../ui/file-field.tsx'
import { Form } from '../../ui/form.tsx'
import { useNarrow } from '../../ui/narrow.ts'
import { Button, Card, ErrorNote, Note, PageTitle, Skeleton, TextField } from '../../ui/parts.tsx'
import { Choice, Segments } from '../../ui/segments.tsx'
import { Unsaved } from '../../ui/unsaved.tsx'
import { brandingWords } from '../../words/branding.ts'
import { type BrandingDraft, Preview } from './branding-preview.tsx'
import { ColourField } from './colour-field.tsx'

/** The hosted page's colours without branding. */
const STANDARD_COLOUR = '#1f5f5b'
const STANDARD_BACKGROUND = '#f6f7f6'

export function BrandingPage() {
  const words = usePageWords(brandingWords)
  useTitle(words.title)
  const here = useHere()
  const found = useAnswer('@/branding')
  const [saved, setSaved] = useState(false)
  const [view, setView] = useState<View>('preview')
  return (
    <>
      <PageTitle title={words.title} lead={words.lead} />
      <ErrorNote error={found.error} again={() => found.refetch()} />
      {found.data === undefined ? (
        found.error === null && <Skeleton lines={6} />
      ) : (
        <BrandingForm
          key={`${here.environment}${JSON.stringify(found.data)}`}
          branding={found.data}
          {...{ saved, onSaved: setSaved, view, setView }}
        />
      )}
    </>
  )
}

type Upload = 'logo' | 'logo_dark'

interface BrandingFormProps {
  branding: Branding
  /** Kept by the page, because saving replaces the form. */
  saved: boolean
  onSaved(saved: boolean): void
  view: View
  setView(view: View): void
}

function BrandingForm({ branding, saved, onSaved, view, setView }: BrandingFormProps) {
  const words = usePageWords(brandingWords)
  const all = useWords()
  const { save, saved: savedWord } = all
  const here = useHere()
  const act = useAct()
  const { logo: _kept, logo_dark: _keptDark, ...stored } = branding
  const [draft, setDraft] = useState<BrandingDraft>(stored)
  const [error, setError] = useState<unknown>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const isNarrow = useNarrow()
  // The problem is shown next to the form, and on a phone inside it.
  const [previewProblem, setPreviewProblem] = useState<string | null>(null)
  const hasLogo = (which: Upload) => (draft[which] === undefined ? branding[which] : draft[which]) !== null
  const change = (part: Partial<BrandingDraft>) => {
    onSaved(false)
    setDraft((before) => ({ ...before, ...part }))
  }
  const text = (name: 'name' | 'support_url' | 'privacy_url' | 'help_text') => ({
    value: draft[name] ?? '',
    onChange: (event: ChangeEvent<HTMLInputElement>) => change({ [name]: event.currentTarget.value || null }),
  })
  const isChanged = JSON.stringify(draft) !== JSON.stringify(stored)
  const [chosen, setChosen] = useState<Partial<Record<Upload, string>>>({})
  const pictureOf = (which: Upload) => (hasLogo(which) ? (chosen[which] ?? branding[which]) : null)
  const chooseLogo =
    (which: Upload) =>
    async ([file]: readonly File[]) => {
      if (file === undefined) return
      if (file.size > here.me.terms.logo_bytes_max) return setProblem(words.problems.logo_too_large)
      const bytes = new Uint8Array(await file.arrayBuffer())
      setProblem(null)
      const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
      setChosen((before) => ({ ...before, [which]: `data:${file.type};base64,${base64}` }))
      change({ [which]: base64 })
    }
  const discard = () => {
    setDraft(stored)
    setChosen({})
    setProblem(null)
    setError(null)
  }
  const submit = async () => {
    setBusy(true)
    setError(null)
    setProblem(null)
    try {
      const answer = await act(() => post('@/branding', draft, here.at()))
      if (answer.outcome === 'changed') onSaved(true)
      else setProblem(`${words.problems[answer.problem]} ${answer.what ?? ''}`)
    } catch (caught) {
      setError(caught)
    }
    setBusy(false)
  }
  return (
    <>
      {isNarrow && (
        <div className="mb-4">
          <Segments<View> label={words.view} value={view} words={words.views} onChange={setView} />
        </div>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 xl:grid-cols-[22rem_minmax(0,1fr)]">
        <div className={isNarrow && view === 'preview' ? 'hidden' : ''}>
          <Form onSubmit={submit}>
            <fieldset disabled={!here.mayChange} className="space-y-5">
              <legend className="sr-only">{words.title}</legend>
              <Card title={words.groups.name}>
                <TextField
                  label={words.name}
                  hint={words.nameHint(here.tenant.name)}
                  maxLength={here.me.terms.shown_name_length_max}
                  {...text('name')}
                />
                {(['logo', 'logo_dark'] as const).map((which) => {
                  const picture = pictureOf(which)
                  return (
                    <FileField
                      key={`${which} ${picture === null}`}
                      label={words.logos[which]}
                      hint={which === 'logo' ? words.logoHint(here.me.terms.logo_bytes_max / 1024) : words.logoDarkHint}
                      accept="image/svg+xml,image/png"
                      onFiles={chooseLogo(which)}
                      {...(picture === null
                        ? {}
                        : {
                            preview: <Thumbnail {...{ picture, which }} />,
                            onRemove: () => change({ [which]: null }),
                          })}
                    />
                  )
                })}
              </Card>
              <Card title={words.groups.look}>
                <ColourField
                  label={words.colour}
                  hint={words.colourHint}
                  value={draft.colour}
                  standard={STANDARD_COLOUR}
                  showsContrast
                  onChange={(colour) => change({ colour })}
                />
                <ColourField
                  label={words.background}
                  hint={words.backgroundHint}
                  value={draft.background}
                  standard={STANDARD_BACKGROUND}
                  onChange={(background) => change({ background })}
                />
                <Choice<Radius>
                  label={words.radius}
                  value={draft.radius ?? 'large'}
                  words={words.radii}
                  onChange={(radius) => change({ radius })}
                />
                <Choice<Font>
                  label={words.font}
                  value={draft.font ?? 'inter'}
                  words={words.fonts}
                  onChange={(font) => change({ font })}
                />
              </Card>
              <Card title={words.groups.links}>
                <TextField label={words.support} hint={words.linkHint} type="url" {...text('support_url')} />
                <TextField label={words.privacy} hint={words.linkHint} type="url" {...text('privacy_url')} />
                <TextField
                  label={words.helpText}
                  hint={words.helpTextHint}
                  maxLength={here.me.terms.help_text_length_max}
                  {...text('help_text')}
                />
              </Card>
            </fieldset>
            <div className="sticky bottom-0 z-1 -mx-1 bg-page px-1 py-3 empty:hidden">
              <ErrorNote error={error} />
              {problem !== null && <Note tone="bad">{problem}</Note>}
              {isNarrow && problem === null && previewProblem !== null && <Note tone="warn">{previewProblem}</Note>}
              {saved && <Note tone="good">{savedWord}</Note>}
              {here.mayChange && isChanged && (
                <div className="flex flex-wrap items-center justify-between gap-2 rounded-2xl border border-line bg-surface p-3 shadow-lg">
                  <span className="pl-1 text-sm font-medium">{words.unsaved}</span>
                  <span className="flex gap-2">
                    <Button onClick={discard}>{all.discard}</Button>
                    <Button type="submit" tone="primary" busy={busy}>
                      {save}
                    </Button>
                  </span>
                </div>
              )}
            </div>
          </Form>
          {isChanged && <Unsaved />}
        </div>
        <div className={`xl:sticky xl:top-6 xl:self-start ${isNarrow && view === 'edit' ? 'hidden' : ''}`}>
          <Preview draft={draft} onProblem={setPreviewProblem} />
        </div>
      </div>
    </>
  )
}

/** Shows the logo on the background that it is for. */
function Thumbnail({ picture, which }: { picture: string; which: Upload }) {
  const words = usePageWords(brandingWords)
  return (
    <img
      src={picture}
      alt={words.logos[which]}
      className={`h-9 max-w-32 rounded object-contain p-1 ${which === 'logo' ? 'bg-white' : 'bg-[#181f1d]'}`}
    />
  )
}

/** A phone shows either the form or the preview. */
type View = 'preview' | 'edit'

type Radius = NonNullable<Branding['radius']>
type Font = NonNullable<Branding['font']>
