// Previews the hosted page on a computer or a phone, light or dark.

import { useEffect, useRef, useState } from 'react'
import { LANGUAGE_NAMES, LANGUAGES, type Language } from '../../../../labels/catalogue.ts'
import type { Branding, BrandingPreview } from '../../../../wire/branding.ts'
import { post } from '../../api.ts'
import { usePageWords, usePreferences } from '../../preferences.tsx'
import { useHere } from '../../session.tsx'
import { useNarrow } from '../../ui/narrow.ts'
import { Card, ErrorNote, Note, SelectField, Skeleton } from '../../ui/parts.tsx'
import { Choice, Segments } from '../../ui/segments.tsx'
import { brandingWords } from '../../words/branding.ts'

/** The body of the request. Without `logo`, the stored logo stays. */
export interface BrandingDraft {
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

/** The preview is updated this long after the last keystroke. */
const PAUSE_MS = 250

type Step = 'waiting' | 'completed' | 'declined'
type Size = 'desktop' | 'phone'
type Theme = 'light' | 'dark'

type Correction = Extract<BrandingPreview, { outcome: 'shown' }>['corrections'][number]

/** Widths of the previewed screens in CSS pixels. */
const WIDTHS: Record<Size, number> = { desktop: 928, phone: 390 }

/** Measures the width available for the preview. */
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

/** The page as the service renders it, without scripts. After a refusal, the problem and the last preview. */
export function Preview({ draft, onProblem }: { draft: BrandingDraft; onProblem(problem: string | null): void }) {
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
  const request = JSON.stringify({ ...draft, language, step, phone: size === 'phone', theme })
  const at = JSON.stringify(here.at())
  useEffect(() => {
    let isCurrent = true
    const timer = setTimeout(async () => {
      try {
        const answer = await post('@/branding/preview', JSON.parse(request), JSON.parse(at))
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
  }, [request, at, words, onProblem])
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
