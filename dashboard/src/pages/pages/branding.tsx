// How the hosted page and the tills look, and beside the form the page itself as it would be: on a computer or a phone, light or dark.

import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import { LANGUAGE_NAMES, LANGUAGES, type Language } from '../../../../labels/catalogue.ts'
import type { Branding, BrandingPreview } from '../../../../wire/branding.ts'
import { post } from '../../api.ts'
import { usePageWords, usePreferences, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useNarrow } from '../../ui/narrow.ts'
import {
  Button,
  Card,
  ErrorNote,
  Note,
  PageTitle,
  SelectField,
  Skeleton,
  SwitchField,
  TextField,
} from '../../ui/parts.tsx'
import { Segments } from '../../ui/segments.tsx'
import { brandingWords } from '../../words/branding.ts'

const FIRST_COLOUR = '#1f4fd8'
const FIRST_BACKGROUND = '#f4efe6'
/** So long nothing is typed, and then the preview follows. */
const PAUSE_MS = 250

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

/** As the service takes it: a logo that is left out stays as it is. */
interface Draft {
  readonly name: string | null
  readonly colour: string | null
  readonly background: string | null
  readonly radius: Branding['radius']
  readonly font: Branding['font']
  readonly support_url: string | null
  readonly privacy_url: string | null
  readonly help_text: string | null
  readonly logo?: string | null
  readonly logo_dark?: string | null
}

type Upload = 'logo' | 'logo_dark'

interface BrandingFormProps {
  branding: Branding
  /** Known to the page: what was saved comes back as a new form. */
  saved: boolean
  onSaved(saved: boolean): void
  view: View
  setView(view: View): void
}

function BrandingForm({ branding, saved, onSaved, view, setView }: BrandingFormProps) {
  const words = usePageWords(brandingWords)
  const { save, saved: savedWord } = useWords()
  const here = useHere()
  const act = useAct()
  const { logo: _kept, logo_dark: _keptDark, ...stored } = branding
  const [draft, setDraft] = useState<Draft>(stored)
  const [error, setError] = useState<unknown>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const isNarrow = useNarrow()
  // Seen beside the form, and on a phone in it.
  const [previewProblem, setPreviewProblem] = useState<string | null>(null)
  const hasLogo = (which: Upload) => (draft[which] === undefined ? branding[which] : draft[which]) !== null
  const change = (part: Partial<Draft>) => {
    onSaved(false)
    setDraft((before) => ({ ...before, ...part }))
  }
  const text = (name: 'name' | 'support_url' | 'privacy_url' | 'help_text') => ({
    value: draft[name] ?? '',
    onChange: (event: ChangeEvent<HTMLInputElement>) => change({ [name]: event.currentTarget.value || null }),
  })
  const chooseLogo = (which: Upload) => async (event: ChangeEvent<HTMLInputElement>) => {
    const [file] = event.currentTarget.files ?? []
    if (file === undefined) return
    if (file.size > here.me.terms.logo_bytes_max) return setProblem(words.problems.logo_too_large)
    const bytes = new Uint8Array(await file.arrayBuffer())
    setProblem(null)
    change({ [which]: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) })
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
          <Card>
            <Form onSubmit={submit}>
              <fieldset disabled={!here.mayChange}>
                <legend className="sr-only">{words.title}</legend>
                <TextField
                  label={words.name}
                  hint={words.nameHint(here.tenant.name)}
                  maxLength={here.me.terms.shown_name_length_max}
                  {...text('name')}
                />
                {(['logo', 'logo_dark'] as const).map((which) => (
                  <div key={which}>
                    <TextField
                      label={words.logos[which]}
                      hint={which === 'logo' ? words.logoHint(here.me.terms.logo_bytes_max / 1024) : words.logoDarkHint}
                      type="file"
                      accept="image/svg+xml,image/png"
                      onChange={chooseLogo(which)}
                    />
                    {hasLogo(which) && (
                      <Button className="mb-4" onClick={() => change({ [which]: null })}>
                        {words.removeLogo[which]}
                      </Button>
                    )}
                  </div>
                ))}
                <ColourField
                  own={words.ownColour}
                  label={words.colour}
                  hint={words.colourHint}
                  value={draft.colour}
                  first={FIRST_COLOUR}
                  showsContrast
                  onChange={(colour) => change({ colour })}
                />
                <ColourField
                  own={words.ownBackground}
                  label={words.background}
                  hint={words.backgroundHint}
                  value={draft.background}
                  first={FIRST_BACKGROUND}
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
                  value={draft.font ?? 'system'}
                  words={words.fonts}
                  onChange={(font) => change({ font })}
                />
                <TextField label={words.support} hint={words.linkHint} type="url" {...text('support_url')} />
                <TextField label={words.privacy} hint={words.linkHint} type="url" {...text('privacy_url')} />
                <TextField
                  label={words.helpText}
                  hint={words.helpTextHint}
                  maxLength={here.me.terms.help_text_length_max}
                  {...text('help_text')}
                />
              </fieldset>
              <ErrorNote error={error} />
              {problem !== null && <Note tone="bad">{problem}</Note>}
              {isNarrow && problem === null && previewProblem !== null && <Note tone="warn">{previewProblem}</Note>}
              {saved && <Note tone="good">{savedWord}</Note>}
              {here.mayChange && (
                <Button type="submit" tone="primary" busy={busy}>
                  {save}
                </Button>
              )}
            </Form>
          </Card>
        </div>
        <div className={`xl:sticky xl:top-6 xl:self-start ${isNarrow && view === 'edit' ? 'hidden' : ''}`}>
          <Preview draft={draft} onProblem={setPreviewProblem} />
        </div>
      </div>
    </>
  )
}

/** On a phone one of the two is seen. */
type View = 'preview' | 'edit'

type Radius = NonNullable<Branding['radius']>
type Font = NonNullable<Branding['font']>

function ColourField(props: {
  own: string
  label: string
  hint: string
  value: string | null
  first: string
  showsContrast?: boolean
  onChange(colour: string | null): void
}) {
  const words = usePageWords(brandingWords)
  return (
    <>
      <SwitchField
        label={props.own}
        checked={props.value !== null}
        onChange={(event) => props.onChange(event.currentTarget.checked ? props.first : null)}
      />
      {props.value !== null && (
        <div className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-x-3">
          <TextField
            label={props.label}
            type="color"
            value={props.value}
            onChange={(event) => props.onChange(event.currentTarget.value)}
          />
          <HexField key={props.value} label={words.hex(props.label)} value={props.value} onChange={props.onChange} />
          <div className="col-span-2 -mt-2 mb-4 space-y-1 text-sm text-soft">
            <p>{props.hint}</p>
            {props.showsContrast && <Contrast colour={props.value} />}
          </div>
        </div>
      )}
    </>
  )
}

/** Typed or pasted; what is no colour yet changes nothing. */
function HexField(props: { label: string; value: string; onChange(colour: string): void }) {
  return (
    <TextField
      label={props.label}
      defaultValue={props.value}
      maxLength={7}
      pattern="#[0-9a-fA-F]{6}"
      spellCheck={false}
      onBlur={({ currentTarget: { value } }) => {
        if (/^#[0-9a-f]{6}$/i.test(value) && value.toLowerCase() !== props.value) props.onChange(value.toLowerCase())
      }}
    />
  )
}

/** WCAG 2.2 §1.4.3 and §1.4.11: 4.5 for text, 3 for buttons. */
function Contrast({ colour }: { colour: string }) {
  const words = usePageWords(brandingWords)
  const { language } = usePreferences()
  const ratio = 1.05 / (luminanceOf(colour) + 0.05)
  // Rounded down: 4.46 does not pass.
  const text = new Intl.NumberFormat(language).format(Math.floor(ratio * 10) / 10)
  return ratio >= 4.5 ? (
    <p className="flex items-center gap-1.5 font-medium text-good">
      <Icon name="check" className="size-4" /> {words.contrastGood(text)}
    </p>
  ) : (
    <p className="font-medium text-warn">{ratio >= 3 ? words.contrastButton(text) : words.contrastLow(text)}</p>
  )
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

type Step = 'waiting' | 'completed' | 'declined'
type Size = 'desktop' | 'phone'
type Theme = 'light' | 'dark'

type Correction = Extract<BrandingPreview, { outcome: 'shown' }>['corrections'][number]

/** Of the screens shown, in pixels of the page. */
const WIDTHS: Record<Size, number> = { desktop: 928, phone: 390 }

/** How wide the preview may be, so that all of a page is seen. */
function useFreeWidth() {
  const frame = useRef<HTMLDivElement>(null)
  const [freeWidth, setFreeWidth] = useState(WIDTHS.phone)
  useEffect(() => {
    const { current } = frame
    if (current === null) return
    const watcher = new ResizeObserver(() => setFreeWidth(current.clientWidth))
    watcher.observe(current)
    return () => watcher.disconnect()
  }, [])
  return [frame, freeWidth] as const
}

/** The page itself, drawn by the service, without its scripts. What cannot be drawn is said, and the last one stays. */
function Preview({ draft, onProblem }: { draft: Draft; onProblem(problem: string | null): void }) {
  const words = usePageWords(brandingWords)
  const preferences = usePreferences()
  const here = useHere()
  const [language, setLanguage] = useState<Language>(preferences.language)
  const [step, setStep] = useState<Step>('waiting')
  const isNarrow = useNarrow()
  const [size, setSize] = useState<Size>(isNarrow ? 'phone' : 'desktop')
  const [theme, setTheme] = useState<Theme>('light')
  const [corrections, setCorrections] = useState<readonly Correction[]>([])
  const [frame, freeWidth] = useFreeWidth()
  const [html, setHtml] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const asked = JSON.stringify({ ...draft, language, step, phone: size === 'phone', theme })
  const at = JSON.stringify(here.at())
  useEffect(() => {
    let isCurrent = true
    const timer = setTimeout(async () => {
      try {
        const answer = await post('@/branding/preview', JSON.parse(asked), JSON.parse(at))
        if (!isCurrent) return
        setError(null)
        const refusal = answer.outcome === 'refused' ? `${words.problems[answer.problem]} ${answer.what ?? ''}` : null
        setProblem(refusal)
        onProblem(refusal)
        if (answer.outcome !== 'shown') return
        setHtml(answer.html)
        setCorrections(answer.corrections)
      } catch (caught) {
        if (isCurrent) setError(caught)
      }
    }, PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [asked, at, words, onProblem])
  return (
    <Card title={words.preview}>
      <div className="grid items-end gap-x-4 gap-y-2 sm:grid-cols-2 2xl:grid-cols-4">
        {!isNarrow && <Segments<Size> label={words.screen} value={size} words={words.sizes} onChange={setSize} />}
        <Segments<Theme> label={words.theme} value={theme} words={words.themes} onChange={setTheme} />
        <Choice<Step> label={words.state} value={step} words={words.steps} onChange={setStep} />
        <SelectField
          label={words.language}
          value={language}
          onChange={(event) =>
            setLanguage(LANGUAGES.find((one) => one === event.currentTarget.value) ?? preferences.language)
          }
        >
          {LANGUAGES.map((one) => (
            <option key={one} value={one}>
              {LANGUAGE_NAMES[one]}
            </option>
          ))}
        </SelectField>
      </div>
      <ErrorNote error={error} />
      {problem !== null && <Note tone="warn">{problem}</Note>}
      {corrections
        .filter((one) => one.theme === theme)
        .map(({ part, colour }) => (
          <Note key={part} tone="warn">
            {words.corrected[part](colour)}
          </Note>
        ))}
      <div ref={frame} className="overflow-hidden rounded-xl border border-line bg-sunken">
        {html === '' ? (
          error === null && problem === null && <Skeleton lines={8} />
        ) : (
          <iframe
            title={words.previewTitle}
            srcDoc={html}
            sandbox=""
            tabIndex={-1}
            className={`mx-auto block ${size === 'phone' ? 'h-[46rem] w-[24.375rem]' : 'h-[45rem] w-[58rem]'}`}
            style={{ zoom: Math.min(1, freeWidth / WIDTHS[size]) }}
          />
        )}
      </div>
    </Card>
  )
}

function Choice<T extends string>(props: {
  label: string
  value: T
  words: Readonly<Record<T, string>>
  onChange(value: T): void
}) {
  const values = Object.keys(props.words) as T[]
  return (
    <SelectField
      label={props.label}
      value={props.value}
      onChange={(event) => props.onChange(values.find((one) => one === event.currentTarget.value) ?? props.value)}
    >
      {values.map((one) => (
        <option key={one} value={one}>
          {props.words[one]}
        </option>
      ))}
    </SelectField>
  )
}
