import { useEffect, useRef, useState } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatDay } from '@/lib/dates'
import { useTheme } from '@/lib/theme'

export type Point = { at: number; value: number }

type LineChartProps = {
  points: readonly Point[]
  format: (value: number) => string
  /** What the chart shows, for those who do not see it. */
  label: string
  height?: number
}

/** A line over time. The figure at the pointer, or the newest, stands above it in text. */
export function LineChart({ points, format, label, height = 240 }: LineChartProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [index, setIndex] = useState<number | null>(null)
  const { theme } = useTheme()
  const shown = points[index ?? points.length - 1]

  useEffect(() => {
    const node = frame.current
    if (!node || points.length < 2) return
    const chart = new UPlot(optionsFor(node, height, format, setIndex), dataOf(points), node)
    const resize = new ResizeObserver(() => chart.setSize({ width: node.clientWidth, height }))
    resize.observe(node)
    return () => {
      resize.disconnect()
      chart.destroy()
    }
  }, [points, height, format, theme])

  return (
    <figure>
      <figcaption className="flex flex-wrap items-baseline gap-x-3">
        <span className="tabular text-2xl font-semibold">{shown ? format(shown.value) : '–'}</span>
        <span className="text-sm text-ink-faint">{shown && formatDay(shown.at)}</span>
      </figcaption>
      <div ref={frame} role="img" aria-label={label} className="mt-3 w-full" style={{ height }} />
    </figure>
  )
}

const dataOf = (points: readonly Point[]): UPlot.AlignedData => [
  points.map(({ at }) => at / 1000),
  points.map(({ value }) => value),
]

function optionsFor(
  node: HTMLElement,
  height: number,
  format: (value: number) => string,
  onPoint: (index: number | null) => void,
): UPlot.Options {
  const styles = getComputedStyle(document.documentElement)
  const token = (name: string) => styles.getPropertyValue(name).trim()
  const axis = {
    stroke: token('--ink-faint'),
    grid: { stroke: token('--line'), width: 1 },
    ticks: { show: false },
    font: '12px "Inter Variable", sans-serif',
  }
  return {
    width: node.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
    series: [{}, { stroke: token('--accent'), width: 2, points: { show: false } }],
    axes: [
      { ...axis, grid: { show: false }, space: 80, size: 32, values: (_, ticks) => ticks.map((tick) => shortDay.format(tick * 1000)) },
      { ...axis, size: (_, labels) => widthOf(labels), values: (_, ticks) => ticks.map(format) },
    ],
    hooks: { setCursor: [(chart) => onPoint(chart.cursor.idx ?? null)] },
  }
}

/** Room for the longest label, at about 7 px a figure. */
const widthOf = (labels: readonly string[] | null) => 10 + 7 * Math.max(4, ...(labels ?? []).map((label) => label.length))

const shortDay = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' })
