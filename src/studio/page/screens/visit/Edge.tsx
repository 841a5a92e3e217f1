/** The edge between two columns of a visit, which the mouse and the arrow keys move. The browser remembers it. */
import { useRef } from "preact/hooks"
import { settings } from "../../model/settings.ts"

interface EdgeProps {
  readonly view: string
  readonly side: "left" | "right"
  /** The column whose width it sets. */
  readonly label: string
}

/** In CSS pixels. */
const LEAST = 140
const STEP = 24

/** The widest a column may be: the middle keeps some room, also after the window has become narrower. */
const MOST = 0.45

/** The columns of a view that are not as wide as usual, as CSS. */
export const columnsOf = (view: string): { readonly [variable: string]: string } => {
  const [left, right] = [settings.widthOf(`${view}-left`).value, settings.widthOf(`${view}-right`).value]
  const limited = (width: number) => `min(${Math.round(width)}px, ${MOST * 100}%)`
  return { ...(left === 0 ? {} : { "--left": limited(left) }), ...(right === 0 ? {} : { "--right": limited(right) }) }
}

export const Edge = ({ view, side, label }: EdgeProps) => {
  const edge = useRef<HTMLDivElement>(null)
  const name = `${view}-${side}`
  const width = settings.widthOf(name).value
  const whole = () => edge.current?.parentElement?.clientWidth ?? 1_000
  const shown = () => {
    const part = edge.current?.getBoundingClientRect()
    const all = edge.current?.parentElement?.getBoundingClientRect()
    if (part === undefined || all === undefined) return width
    return side === "left" ? part.left + 5 - all.left : all.right - part.left - 5
  }
  const set = (to: number) => settings.setWidth(name, Math.round(Math.max(LEAST, Math.min(to, whole() * MOST))))
  const toPointer = (clientX: number) => {
    const all = edge.current?.parentElement?.getBoundingClientRect()
    if (all !== undefined) set(side === "left" ? clientX - all.left : all.right - clientX)
  }
  const grow = side === "left" ? STEP : -STEP
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved.
    <div
      ref={edge}
      class={`edge ${side}`}
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${label}`}
      aria-valuenow={width}
      aria-valuemin={0}
      aria-valuemax={4000}
      aria-valuetext={width === 0 ? "as usual" : `${width} pixels`}
      title="Drag, or move with the arrow keys; Enter or a double click makes it as usual"
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) toPointer(event.clientX)
      }}
      onDblClick={() => settings.setWidth(name, 0)}
      onKeyDown={(event) => {
        const by = event.key === "ArrowRight" ? grow : event.key === "ArrowLeft" ? -grow : null
        if (by === null && event.key !== "Enter") return
        event.preventDefault()
        event.stopPropagation()
        if (by === null) settings.setWidth(name, 0)
        else set(shown() + by)
      }}
    />
  )
}
