// Bars over days, drawn by uPlot on a canvas. Loaded only where one looks at them.

import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

interface Day {
  day: string
  count: number
}

export function Bars({ days, language, label }: { days: readonly Day[]; language: string; label: string }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    let plot: uPlot | null = null
    const draw = () => {
      plot?.destroy()
      plot = new uPlot(optionsOf(element, language), dataOf(days), element)
    }
    draw()
    const watchSize = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: 240 }))
    watchSize.observe(element)
    // Colours are read when it is drawn.
    const watchTheme = new MutationObserver(draw)
    watchTheme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      watchSize.disconnect()
      watchTheme.disconnect()
      plot?.destroy()
    }
  }, [days, language])
  return <div ref={box} role="img" aria-label={label} className="h-60 w-full overflow-hidden" />
}

function dataOf(days: readonly Day[]): uPlot.AlignedData {
  return [days.map(({ day }) => Date.parse(`${day}T00:00:00Z`) / 1000), days.map(({ count }) => count)]
}

function optionsOf(element: HTMLElement, language: string): uPlot.Options {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const date = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const axis = { stroke: colour('--c-soft'), grid: { stroke: colour('--c-line'), width: 1 }, ticks: { show: false } }
  return {
    width: element.clientWidth,
    height: 240,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: (_, min, max) => [min - 50_000, max + 50_000] },
      y: { range: (_, __, max) => [0, Math.max(4, max * 1.1)] },
    },
    series: [
      {},
      {
        stroke: colour('--c-accent'),
        fill: colour('--c-accent'),
        ...(uPlot.paths.bars === undefined ? {} : { paths: uPlot.paths.bars({ size: [0.7, 40], radius: 0.15 }) }),
        points: { show: false },
      },
    ],
    axes: [
      {
        ...axis,
        grid: { show: false },
        values: (_, values) => values.map((value) => date.format(new Date(value * 1000))),
        incrs: [86_400, 5 * 86_400, 7 * 86_400, 10 * 86_400],
      },
      {
        ...axis,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 5e4, 1e5, 5e5, 1e6],
        values: (_, values) =>
          values.map((value) => new Intl.NumberFormat(language, { notation: 'compact' }).format(value)),
      },
    ],
  }
}
