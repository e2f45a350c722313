// Icons for yes, no and not proven. Each has its own shape, so that colour is not needed.

import { drawing } from './dom.ts'
import type { Outcome } from './outcome.ts'

/** A disc, an octagon and a triangle, each with its sign. */
const SHAPES: Readonly<Record<Outcome['kind'], { readonly shape: string; readonly sign: string }>> = {
  yes: { shape: 'M60 4a56 56 0 1 0 0 112a56 56 0 1 0 0-112z', sign: 'M33 62l19 20 36-42' },
  no: { shape: 'M37 4h46l33 33v46l-33 33h-46l-33-33v-46z', sign: 'M40 40l40 40M80 40l-40 40' },
  unproven: {
    shape: 'M52 10q8-12 16 0l48 88q6 14-10 16h-92q-16-2-10-16z',
    sign: 'M48 56a12.5 12.5 0 1 1 18 11q-6 4-6 9M60 94v.1',
  },
}

export function outcomeMark(kind: Outcome['kind'], className: string): SVGSVGElement {
  const { shape, sign } = SHAPES[kind]
  return drawing('0 0 120 120', [shape, sign], { class: `${className} ${kind}`, 'aria-hidden': 'true' })
}
