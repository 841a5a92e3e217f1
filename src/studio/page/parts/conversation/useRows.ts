/**
 * Lays out rows of unknown heights in a scrolling box: draws only the visible ones, replaces estimates by measured
 * heights, and keeps the reader's place still.
 */
import type { RefObject } from "preact"
import { useLayoutEffect, useMemo, useReducer, useRef } from "preact/hooks"
import { Heights } from "../../model/conversation/Heights.ts"

/** Pixels drawn beyond the edges of the box. */
const BEYOND = 600

/** Space between a row that is gone to and the edge, in pixels. */
const MARGIN = 16

/** Space above the first row, in pixels. */
const AT_FIRST = 120

/** A row that stays in place: its edge, and the distance of this edge from the same edge of the box. */
interface Anchor {
  readonly row: number
  readonly edge: "top" | "bottom"
  readonly distance: number
}

export interface LaidOut {
  readonly box: RefObject<HTMLElement>
  readonly list: RefObject<HTMLOListElement>
  readonly first: number
  readonly last: number
  /** Where the first drawn row begins, and the height of all rows, in pixels. */
  readonly top: number
  readonly height: number
  readonly onScroll: () => void
  /** Brings a row into view, as little as possible. */
  readonly reveal: (row: number) => void
}

export interface RowsOptions {
  readonly length: number
  /** Pixels. */
  readonly estimate: (row: number) => number
  /** The row that is shown first. */
  readonly begin: number
  /** Rows of another order or task have other heights. */
  readonly key: unknown
  /** Whether the end stays in view as rows are added. */
  readonly toEnd: boolean
  /** Called when the reader has scrolled, with the row in the line that the reader reads, and whether it is the end. */
  readonly onRead: (row: number, isEnd: boolean) => void
}

export const useRows = ({ length, estimate, begin, key, toEnd, onRead }: RowsOptions): LaidOut => {
  const box = useRef<HTMLElement>(null)
  const list = useRef<HTMLOListElement>(null)
  const heights = useMemo(() => new Heights(estimate), [key])
  const anchor = useRef<Anchor>({ row: begin, edge: "top", distance: AT_FIRST })
  /** Where the page scrolled to by itself, which is no reading. */
  const expected = useRef(0)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  heights.grow(length)

  const tall = box.current?.clientHeight ?? 800
  const place = placeOf(heights, anchor.current, tall, toEnd)
  const first = length === 0 ? 0 : heights.at(Math.max(0, place - BEYOND))
  const last = length === 0 ? -1 : heights.at(place + tall + BEYOND)

  // Measures the drawn rows, then scrolls so that the anchor keeps its place.
  useLayoutEffect(() => {
    const [element, rows] = [box.current, list.current]
    if (element === null || rows === null) return
    let changed = 0
    for (const child of rows.children) {
      if (!(child instanceof HTMLElement)) continue
      changed += Math.abs(heights.set(Number(child.dataset.row), child.getBoundingClientRect().height))
    }
    const now = placeOf(heights, anchor.current, element.clientHeight, toEnd)
    if (changed > 0) {
      rows.style.top = `${heights.before(first)}px`
      const inner = rows.parentElement
      if (inner !== null) inner.style.height = `${heights.total}px`
    }
    if (Math.abs(element.scrollTop - now) >= 1) element.scrollTop = now
    expected.current = element.scrollTop
    const covered = heights.at(Math.max(0, now - BEYOND / 2)) >= first && heights.at(now + element.clientHeight) <= last
    if (!covered) redraw(undefined)
  })

  // Details that open, images that arrive and windows that change their width.
  useLayoutEffect(() => {
    const [element, rows] = [box.current, list.current]
    if (element === null || rows === null) return
    const observer = new ResizeObserver(() => redraw(undefined))
    observer.observe(element)
    observer.observe(rows)
    return () => observer.disconnect()
  }, [])

  const onScroll = () => {
    const element = box.current
    if (element === null || Math.abs(element.scrollTop - expected.current) < 1) return
    const { scrollTop, clientHeight, scrollHeight } = element
    expected.current = scrollTop
    const row = heights.at(scrollTop)
    anchor.current = { row, edge: "top", distance: heights.before(row) - scrollTop }
    redraw(undefined)
    const left = scrollHeight - clientHeight - scrollTop
    // The line that is read moves to the edges near the ends, so that it passes every row.
    const line = Math.max(Math.min(clientHeight * 0.4, scrollTop), clientHeight - Math.max(left, clientHeight * 0.6))
    onRead(heights.at(scrollTop + (left < 1 ? clientHeight - 1 : line)), left < 2)
  }

  const reveal = (row: number) => {
    const element = box.current
    if (element === null) return
    const [start, end] = [heights.before(row), heights.before(row) + heights.of(row)]
    const { scrollTop, clientHeight } = element
    if (start >= scrollTop && end <= scrollTop + clientHeight) return
    const isBelow = start > scrollTop
    const isNear = start < scrollTop + 2 * clientHeight && end > scrollTop - clientHeight
    if (isBelow && isNear && end - start < clientHeight - 2 * MARGIN)
      anchor.current = { row, edge: "bottom", distance: MARGIN }
    else anchor.current = { row, edge: "top", distance: isNear ? MARGIN : clientHeight * 0.25 }
    redraw(undefined)
  }

  return { box, list, first, last, top: heights.before(first), height: heights.total, onScroll, reveal }
}

const placeOf = (heights: Heights, { row, edge, distance }: Anchor, tall: number, toEnd: boolean): number => {
  const most = Math.max(0, heights.total - tall)
  if (toEnd) return most
  const start = heights.before(row)
  const place = edge === "top" ? start - distance : start + heights.of(row) + distance - tall
  return Math.max(0, Math.min(most, Math.round(place)))
}
