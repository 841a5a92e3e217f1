/** The course of a number in a few pixels, with the current moment. */
import { extentOf } from "./format.ts"

interface Props {
  readonly points: ReadonlyArray<{ readonly position: number; readonly value: number }>
  readonly at: number
  readonly label: string
}

const WIDTH = 240
const HEIGHT = 36

export const Sparkline = ({ points, at, label }: Props) => {
  if (points.length < 2) return null
  const values = points.map(({ value }) => value)
  const [low, high] = extentOf(values)
  const x = (index: number) => 2 + (index / (points.length - 1)) * (WIDTH - 4)
  const y = (value: number) => HEIGHT - 3 - ((value - low) / (high - low || 1)) * (HEIGHT - 6)
  const now = points.findLastIndex(({ position }) => position <= at)
  // A value holds until the next one, so the line goes in steps.
  const path = points
    .map(({ value }, index) =>
      index === 0 ? `M${x(0)} ${y(value)}` : `H${x(index).toFixed(1)}V${y(value).toFixed(1)}`,
    )
    .join("")
  const current = points[now]
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="xMinYMid meet"
      role="img"
      aria-label={label}
    >
      <path d={path} />
      {current === undefined ? null : <circle cx={x(now)} cy={y(current.value)} r="3" />}
    </svg>
  )
}
