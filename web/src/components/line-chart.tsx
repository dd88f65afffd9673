import { useEffect, useRef, useState } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatDay, formatTime } from '@/lib/dates'
import { useTheme } from '@/lib/theme'
import { decimalsOf, stepsFrom, withoutRepeats } from './chart-axis'

/** `base` is what the value is measured against, drawn as a dashed line. */
export type Point = { at: number; value: number; base?: number }

type LineChartProps = {
  points: readonly Point[]
  /** `decimals`: how many keep the labels of an axis apart. */
  format: (value: number, decimals?: number) => string
  /** The smallest difference that `format` can show. */
  step: number
  /** Describes the chart for screen readers. */
  label: string
  /** Label of the dashed line; without it there is no line. */
  baseLabel?: string
  /** The least that the axis of values covers, so that charts can be compared; it always covers every point. */
  scale?: readonly [number, number]
  height?: number
}

const DAY_MS = 86_400_000

/** A line over time, of at least two points. The figure at the pointer, or the newest, stands above it in text. */
export function LineChart({ points, format, step, label, baseLabel, scale, height = 240 }: LineChartProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [index, setIndex] = useState<number | null>(null)
  const { theme } = useTheme()
  const shown = points[index ?? points.length - 1]

  useEffect(() => {
    const node = frame.current
    if (!node || points.length < 2) return
    const options = optionsFor({ node, height, format, step, onPoint: setIndex, span: spanOf(points), hasBase: Boolean(baseLabel), scale })
    const chart = new UPlot(options, dataOf(points, Boolean(baseLabel)), node)
    const resize = new ResizeObserver(() => chart.setSize({ width: node.clientWidth, height }))
    resize.observe(node)
    return () => {
      resize.disconnect()
      chart.destroy()
    }
  }, [points, height, format, step, baseLabel, scale, theme])

  return (
    <figure>
      <figcaption className="flex flex-wrap items-baseline gap-x-3">
        <span className="tabular text-2xl font-semibold">{shown ? format(shown.value) : '–'}</span>
        <span className="text-sm text-ink-faint">{shown && dateOf(shown.at, spanOf(points))}</span>
        {baseLabel && shown?.base !== undefined && (
          <span className="tabular flex w-full items-center gap-2 text-sm text-ink-soft sm:ms-auto sm:w-auto">
            <span aria-hidden className="w-4 border-t-2 border-dashed border-ink-faint" />
            {`${baseLabel} ${format(shown.base)}`}
          </span>
        )}
      </figcaption>
      <div ref={frame} role="img" aria-label={label} className="mt-3 w-full contain-inline-size" style={{ height }} />
    </figure>
  )
}

const spanOf = (points: readonly Point[]) => (points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0)

/** Shows times instead of dates for charts of at most two days. */
const dateOf = (at: number, span: number) => (span < 2 * DAY_MS ? `${formatDay(at)}, ${formatTime(at)}` : formatDay(at))

const dataOf = (points: readonly Point[], hasBase: boolean): UPlot.AlignedData => [
  points.map(({ at }) => at / 1000),
  points.map(({ value }) => value),
  ...(hasBase ? [points.map(({ base }) => base ?? null)] : []),
]

type Drawing = {
  node: HTMLElement
  height: number
  format: LineChartProps['format']
  step: number
  onPoint: (index: number | null) => void
  span: number
  hasBase: boolean
  scale?: readonly [number, number]
}

function optionsFor({ node, height, format, step, onPoint, span, hasBase, scale }: Drawing): UPlot.Options {
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
    ...(scale ? { scales: { y: { range: (_, low, high) => [Math.min(low, scale[0]), Math.max(high, scale[1])] } } } : {}),
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
    series: [
      {},
      // With a base, the values are a sum that changes in steps.
      { stroke: token('--accent'), fill: token('--accent-wash'), width: 2, points: { show: false }, ...(hasBase ? { paths: stepped } : {}) },
      ...(hasBase ? [{ stroke: token('--ink-faint'), width: 1.5, dash: [5, 5], points: { show: false }, paths: stepped }] : []),
    ],
    axes: [
      { ...axis, grid: { show: false }, space: 80, size: 32, values: (_, ticks) => withoutRepeats(ticks.map((tick) => tickOf(tick * 1000, span))) },
      { ...axis, incrs: stepsFrom(step), size: (_, labels) => widthOf(labels), values: (_, ticks) => ticks.map((tick) => format(tick, decimalsOf(ticks))) },
    ],
    hooks: { setCursor: [(chart) => onPoint(chart.cursor.idx ?? null)] },
  }
}

const stepped = UPlot.paths.stepped?.({ align: 1 })

const tickOf = (at: number, span: number) => (span < 2 * DAY_MS ? formatTime(at) : shortDay.format(at))

/** Room for the longest label, at about 7 px a figure. */
const widthOf = (labels: readonly string[] | null) => 10 + 7 * Math.max(4, ...(labels ?? []).map((label) => label.length))

const shortDay = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' })
