// A text as a QR code, drawn as one path.

import encodeQR from 'qr'
import { drawing } from '../dom.ts'

/** ISO/IEC 18004 asks for four light modules around the symbol; the white card around the drawing gives the other two. */
const QUIET = 2

export function qrDrawing(text: string, label: string): SVGSVGElement {
  const rows = encodeQR(text, 'raw', { ecc: 'low', border: QUIET })
  const size = rows.length
  const path = rows.map((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')).join('')).join('')
  return drawing(`0 0 ${size} ${size}`, [path], {
    role: 'img',
    'aria-label': label,
    fill: '#000',
    'shape-rendering': 'crispEdges',
  })
}
