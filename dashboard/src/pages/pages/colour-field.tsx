// A colour of the brand, chosen or typed, with its contrast to white.

import { usePageWords, usePreferences } from '../../preferences.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TextField } from '../../ui/parts.tsx'
import { brandingWords } from '../../words/branding.ts'

export function ColourField(props: {
  label: string
  hint: string
  /** null: the default. */
  value: string | null
  standard: string
  showsContrast?: boolean
  onChange(colour: string | null): void
}) {
  const words = usePageWords(brandingWords)
  const colour = props.value ?? props.standard
  return (
    <div className="grid grid-cols-[6rem_minmax(0,1fr)] items-end gap-x-3">
      <TextField
        label={props.label}
        type="color"
        value={colour}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      />
      <HexField key={colour} label={words.hex(props.label)} value={colour} onChange={props.onChange} />
      <div className="col-span-2 -mt-2 mb-4 space-y-1 text-sm text-soft">
        <p>
          {props.hint}{' '}
          {props.value !== null && (
            <button type="button" className="text-accent underline" onClick={() => props.onChange(null)}>
              {words.reset}
              <span className="sr-only">: {props.label}</span>
            </button>
          )}
        </p>
        {props.showsContrast && <Contrast colour={colour} />}
      </div>
    </div>
  )
}

/** An incomplete colour changes nothing. */
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
