// Draws a text as a QR code, as one path.

import encodeQR from 'qr'
import { drawing } from '../dom.ts'

/**
 * ISO/IEC 18004 requires four light modules around the symbol. The white card around the drawing provides the other
 * two.
 */
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
