// A row of small bars over hours or days. The text next to it says the same.

interface SparkBar {
  readonly key: string
  readonly value: number
  /** The failed part of the bar. */
  readonly bad?: number
}

const [WIDTH, HEIGHT, GAP] = [8, 36, 2]

export function Spark({
  bars,
  label,
  className = '',
}: {
  bars: readonly SparkBar[]
  label: string
  className?: string
}) {
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const heightOf = (value: number) => (value === 0 ? 0 : Math.max(2, (value / most) * HEIGHT))
  return (
    <svg
      viewBox={`0 0 ${bars.length * (WIDTH + GAP) - GAP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      className={className}
    >
      {bars.map(({ key, value, bad = 0 }, nth) => {
        const x = nth * (WIDTH + GAP)
        const [whole, part] = [heightOf(value), value === 0 ? 0 : (bad / value) * heightOf(value)]
        return (
          <g key={key}>
            <rect x={x} y={HEIGHT - 1} width={WIDTH} height={1} className="fill-line" />
            <rect x={x} y={HEIGHT - whole} width={WIDTH} height={whole - part} className="fill-accent" />
            <rect x={x} y={HEIGHT - part} width={WIDTH} height={part} className="fill-bad" />
          </g>
        )
      })}
    </svg>
  )
}
