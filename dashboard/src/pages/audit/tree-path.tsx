// Draws the path from a leaf of the public log to the signed root. Each step adds a hash of the proof.

import type { ProvenLeaf } from '../../../../sdk/typescript/src/log-proof.ts'
import { usePageWords } from '../../preferences.tsx'
import { proofWords } from '../../words/proof.ts'

const STEP = 34
const WIDTH = 320
const MIDDLE = WIDTH / 2
const SIDE_OFFSET = 84
const TOP = 64
const BOTTOM = 34

export function TreePath({ leaf }: { leaf: ProvenLeaf }) {
  const words = usePageWords(proofWords)
  const { way: sides, index, size, origin } = leaf
  const height = TOP + sides.length * STEP + BOTTOM
  const yOf = (level: number) => TOP + (sides.length - level) * STEP
  return (
    <figure>
      <svg
        role="img"
        aria-label={words.pictureOf(index, size, sides.length)}
        viewBox={`0 0 ${WIDTH} ${height}`}
        className="mx-auto block w-full max-w-md text-ink"
      >
        {sides.map((side, level) => {
          const [y, above] = [yOf(level), yOf(level + 1)]
          const x = side === 'right' ? MIDDLE + SIDE_OFFSET : MIDDLE - SIDE_OFFSET
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: levels have no other key and do not move
            <g key={level}>
              <path d={`M${MIDDLE} ${y}V${above}`} className="stroke-accent" strokeWidth="2.5" />
              <path
                d={`M${x} ${y}L${MIDDLE} ${above}`}
                className="stroke-soft"
                strokeWidth="1.2"
                strokeDasharray="4 3"
              />
              <circle cx={x} cy={y} r="6" className="fill-surface stroke-soft" strokeWidth="1.5" />
            </g>
          )
        })}
        {[...sides.keys(), sides.length].map((level) => (
          <circle key={level} cx={MIDDLE} cy={yOf(level)} r={level === sides.length ? 9 : 6} className="fill-accent" />
        ))}
        <text x={MIDDLE} y={height - 8} textAnchor="middle" className="fill-ink text-[13px] font-medium">
          {words.leaf(index)}
        </text>
        <text x={MIDDLE} y="18" textAnchor="middle" className="fill-ink text-[13px] font-medium">
          {words.root(size)}
        </text>
        <text x={MIDDLE} y="38" textAnchor="middle" className="fill-soft text-[11px]">
          {shortened(words.signedBy(origin))}
        </text>
        {sides[0] !== undefined && (
          <text
            x={sides[0] === 'right' ? MIDDLE + SIDE_OFFSET : MIDDLE - SIDE_OFFSET}
            y={yOf(0) + 20}
            textAnchor="middle"
            className="fill-soft text-[11px]"
          >
            {words.fromProof}
          </text>
        )}
      </svg>
      <figcaption className="mt-3 text-sm text-soft">{words.pictureOf(index, size, sides.length)}</figcaption>
    </figure>
  )
}

/** The text next to the picture has the full name. */
const shortened = (text: string) => (text.length > 46 ? `${text.slice(0, 45)}…` : text)
