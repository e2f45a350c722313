// A QR code, drawn in the browser: its text is not sent anywhere.

import encodeQR from 'qr'
import { useMemo } from 'react'

/** Dark on light in both themes, as cameras expect. */
export function Qr({ text, label, large = false }: { text: string; label: string; large?: boolean }) {
  const rows = useMemo(() => encodeQR(text, 'raw', { border: 2 }), [text])
  const path = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <svg
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={label}
      className={`shrink-0 rounded-lg bg-white ${large ? 'size-52' : 'size-40'}`}
    >
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  )
}
