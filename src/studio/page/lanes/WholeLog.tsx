/** The whole timeline in one thin lane: the density of activity, the failures, and the range of the lanes above. */
import { useEffect, useRef } from "preact/hooks"
import { KINDS, type Kind } from "../../wire/Kind.ts"
import type { Course } from "../model/Address.ts"
import { goTo } from "../model/commands.ts"
import { useStudio } from "../parts/context.ts"
import { useAnswer } from "../parts/useAnswer.ts"
import { useThrottled } from "../parts/useThrottled.ts"
import { emptied, leftOf, offsetOf, placeAt, roomOf, within } from "./Placing.ts"
import { inksOf } from "./paint.ts"
import { useWidth } from "./useWidth.ts"

const BINS = 300
const HEIGHT = 18

/** The counted kinds. Every position has an event, so only the agents' activity makes a difference. */
const TELLING: ReadonlySet<Kind> = new Set(["decision", "model", "message", "command", "approval"])

interface Props {
  readonly course: Course
  readonly first: number
  readonly last: number
  /** Changes with the page's colours. */
  readonly theme: number
}

export const WholeLog = ({ course: { timeline }, first, last, theme }: Props) => {
  const studio = useStudio()
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = useWidth(canvas)
  const now = Math.max(1, useThrottled(studio.head.value))
  // Each answer counts the whole log, so ask again only after it has grown by a bin.
  const head = now - (now % Math.ceil(now / BINS))
  const { answer } = useAnswer(
    "density",
    { timeline, from: 1, to: head, bins: Math.min(BINS, head) },
    useThrottled(studio.indexed.value),
  )
  useEffect(() => {
    const context = answer === null ? null : emptied(canvas.current, width, HEIGHT)
    if (context === null || answer === null) return
    const inks = inksOf(context.canvas)
    const counts = answer.counts.map((kinds) =>
      kinds.reduce((sum, count, kind) => sum + (TELLING.has(KINDS[kind] ?? "other") ? count : 0), 0),
    )
    const most = counts.reduce((a, b) => Math.max(a, b), 1)
    const each = roomOf(width) / counts.length
    for (const [bin, count] of counts.entries()) {
      const isBad = answer.bad[bin] === true
      const height = Math.max(isBad ? 3 : 1, (HEIGHT - 4) * Math.sqrt(count / most))
      context.globalAlpha = isBad ? 1 : 0.45
      context.fillStyle = isBad ? inks.punishment : inks.dim
      context.fillRect(offsetOf(bin / counts.length, width), HEIGHT - 2 - height, Math.max(1, each - 0.5), height)
    }
  }, [answer, width, theme])
  const placed = (position: number) => leftOf(Math.min(1, (position - 1) / Math.max(1, head - 1)))
  const go = (clientX: number) => {
    const place = placeAt(canvas.current, clientX)
    if (place === null) return
    const position = Math.round(1 + within(place) * (head - 1))
    goTo(studio, position).catch((cause: unknown) => studio.fail(cause))
  }
  return (
    // For the mouse only: the box goes to a position, too.
    <div
      class="whole"
      aria-hidden="true"
      title={`All events of ${timeline}: higher for more decisions and commands, red for failures. A click goes there`}
      onClick={(event) => go(event.clientX)}
    >
      <canvas ref={canvas} style={{ height: `${HEIGHT}px` }} />
      <div class="shown" style={{ left: placed(first), right: `calc(100% - ${placed(last)})` }} />
      <div class="playhead" style={{ left: placed(studio.position.value) }} />
    </div>
  )
}
