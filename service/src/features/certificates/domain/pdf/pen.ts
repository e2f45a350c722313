// Draws text, boxes and dots on a page, as marked content of the structure or as decoration.

import type { Font } from './font.ts'

export type Colour = readonly [number, number, number]

export interface TextStyle {
  readonly font: 'F1' | 'F2'
  readonly size: number
  readonly colour: Colour
  /** The distance between baselines. */
  readonly leading: number
}

export interface TextBox {
  readonly x: number
  /** The first baseline, measured from the bottom of the page. */
  readonly y: number
  readonly width: number
}

interface Drawn {
  /** The number of the marked content. */
  readonly mark: number
  /** The position below the last line. */
  readonly y: number
}

export class Pen {
  readonly used: Readonly<Record<'F1' | 'F2', Map<number, string>>> = { F1: new Map(), F2: new Map() }
  private readonly fonts: Readonly<Record<'F1' | 'F2', Font>>
  private readonly operators: string[] = []
  private marks = 0

  constructor(fonts: Readonly<Record<'F1' | 'F2', Font>>) {
    this.fonts = fonts
  }

  get content(): string {
    return this.operators.join('\n')
  }

  /** `type` is the type of the structure element. Lines break at spaces; a word longer than a line breaks anywhere. */
  text(type: string, text: string, style: TextStyle, box: TextBox): Drawn {
    const lines = this.linesOf(text, style, box.width)
    const mark = this.marks++
    this.operators.push(`/${type} << /MCID ${mark} >> BDC`, 'BT', `/${style.font} ${style.size} Tf`, fill(style.colour))
    for (const [i, line] of lines.entries())
      this.operators.push(
        `1 0 0 1 ${round(box.x)} ${round(box.y - i * style.leading)} Tm`,
        `<${this.encode(line, style)}> Tj`,
      )
    this.operators.push('ET', 'EMC')
    return { mark, y: box.y - lines.length * style.leading }
  }

  heightOf(text: string, style: TextStyle, width: number): number {
    return this.linesOf(text, style, width).length * style.leading
  }

  /** Decoration, which screen readers skip. */
  box(colour: Colour, { x, y, width, height }: { x: number; y: number; width: number; height: number }): void {
    this.operators.push(
      '/Artifact BMC',
      fill(colour),
      `${round(x)} ${round(y)} ${round(width)} ${round(height)} re f`,
      'EMC',
    )
  }

  /** A square of dots, row by row from the top. In units of a dot: numbers without fractions are short to compress. */
  dots(type: string, rows: readonly (readonly boolean[])[], at: { x: number; y: number; size: number }): number {
    const mark = this.marks++
    const unit = Math.round((at.size / rows.length) * 1e5) / 1e5
    this.operators.push(`/${type} << /MCID ${mark} >> BDC`, 'q', fill([0, 0, 0]))
    this.operators.push(`${unit} 0 0 ${unit} ${round(at.x)} ${round(at.y)} cm`)
    for (const [r, row] of rows.entries()) {
      for (let c = 0; c < row.length; c += 1) {
        if (row[c] !== true) continue
        let end = c
        while (row[end + 1] === true) end += 1
        this.operators.push(`${c} ${rows.length - r - 1} ${end - c + 1} 1 re`)
        c = end
      }
    }
    this.operators.push('f', 'Q', 'EMC')
    return mark
  }

  /** Breaks text into lines. A line that ends at a space keeps it, so that copied text has it. */
  private linesOf(text: string, style: TextStyle, width: number): string[] {
    const lines: string[] = []
    for (const paragraph of text.split('\n')) {
      let line = ''
      for (const word of paragraph.split(' ')) {
        if (line !== '' && this.widthOf(`${line}${word}`, style) > width) {
          lines.push(line)
          line = ''
        }
        for (const character of word) {
          if (line !== '' && this.widthOf(line + character, style) > width) {
            lines.push(line)
            line = ''
          }
          line += character
        }
        line += ' '
      }
      lines.push(line)
    }
    return lines
  }

  private widthOf(text: string, { font, size }: TextStyle): number {
    const { glyphOf, widthOf } = this.fonts[font]
    let units = 0
    for (const character of text) units += widthOf(glyphOf(character.codePointAt(0) ?? 0))
    return (units * size) / 1000
  }

  private encode(text: string, { font }: TextStyle): string {
    const { glyphOf } = this.fonts[font]
    let encoded = ''
    for (const character of text) {
      const codePoint = character.codePointAt(0) ?? 0
      const glyph = glyphOf(codePoint)
      // Characters that the font lacks share the glyph of the question mark, so the glyph is copied as a question mark.
      if (!this.used[font].has(glyph)) this.used[font].set(glyph, glyph === glyphOf(0x3f) ? '?' : character)
      encoded += glyph.toString(16).padStart(4, '0')
    }
    return encoded
  }
}

const round = (value: number) => String(Math.round(value * 1000) / 1000)
const fill = (colour: Colour) => `${colour.map(round).join(' ')} rg`
