/**
 * The conversation: every item of the task in one scrolling list, of which only the visible part is loaded and drawn. It
 * and the position follow each other.
 */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import type { Item as Told } from "../../../../projections/conversation/Item.ts"
import type { CourseHistory } from "../../model/CourseHistory.ts"
import type { Streaming } from "../../model/conversation/LiveAnswer.ts"
import type { Talk } from "../../model/conversation/Talk.ts"
import { useStudio } from "../context.ts"
import { Item } from "./Item.tsx"
import { usePrinting } from "./usePrinting.ts"
import { useRows } from "./useRows.ts"

interface ConversationProps {
  readonly course: CourseHistory
  readonly talk: Talk
  readonly streaming: Streaming | null
}

/** Heights of rows that have not been drawn, by their roles, in pixels. */
const ESTIMATES: { readonly [role: string]: number } = { o: 96, g: 40, i: 72, s: 72, q: 108, c: 40, n: 36, x: 56 }

/** The position follows when the reader has stopped scrolling for so long, in milliseconds: panes cost frames. */
const SETTLED = 80

export const Conversation = ({ course, talk, streaming }: ConversationProps) => {
  const studio = useStudio()
  course.version.value
  talk.rows.take()
  const position = studio.position.value
  /** The position that scrolling chose, to which the list need not scroll. */
  const read = useRef(-1)
  const settling = useRef<ReturnType<typeof setTimeout>>()
  useEffect(() => () => clearTimeout(settling.current), [talk])
  const { length } = talk.rows
  const laid = useRows({
    length,
    estimate: (row) => ESTIMATES[talk.rows.all[row]?.role ?? ""] ?? 40,
    key: `${talk.rows.arranged}`,
    begin: Math.max(0, talk.rowAt(position)),
    toEnd: studio.following.value,
    onRead: (row, isEnd) => {
      clearTimeout(settling.current)
      if (isEnd && course.last !== position && isOpen(course)) return studio.follow()
      if (talk.rowAt(studio.position.value) === row) return
      const from = studio.position.value
      const move = () => {
        // Something else moved the position meanwhile.
        if (studio.position.value !== from) return
        read.current = talk.positionOf(row)
        studio.moveTo(read.current)
      }
      // As long as the position follows the end, the list would jump back there.
      if (studio.following.value) move()
      else settling.current = setTimeout(move, SETTLED)
    },
  })
  const printing = studio.printing.value
  const [first, last] = printing ? [0, talk.lastPrinted] : [laid.first, laid.last]
  const { byRow, isCut } = talk.items(first, Math.max(first, last))
  const here = talk.rowAt(position)
  useLayoutEffect(() => {
    talk.drawn.value = talk.key
  })
  useLayoutEffect(() => {
    if (read.current === position) return
    read.current = -1
    if (here >= 0 && !studio.following.value) laid.reveal(here)
  }, [here, position, studio.moves.value, talk.rows.arranged])
  usePrinting(laid.box, !printing || !isLoaded(byRow, last))
  const rows = []
  for (let row = first; row <= last; row++)
    rows.push(
      <Row
        key={talk.rows.all[row]?.position}
        row={row}
        of={length}
        isHere={row === here}
        items={byRow.get(row)}
        draw={(item) => <Item key={item.position} item={item} talk={talk} isCut={isCut} streaming={streaming} />}
      />,
    )
  return (
    <section
      class="conversation"
      ref={laid.box}
      aria-label="What was said and done"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
      tabIndex={0}
      onScroll={laid.onScroll}
    >
      {length === 0 ? (
        <p class="empty">
          No conversation yet. This view shows the messages of agents that use a model, and of people who talk to them.
        </p>
      ) : null}
      <div class="rows" style={{ height: printing ? "auto" : `${laid.height}px` }}>
        <ol class="items" ref={laid.list} style={{ top: `${printing ? 0 : laid.top}px` }}>
          {rows}
        </ol>
      </div>
      {printing && last < length - 1 ? (
        <p class="note">{(length - 1 - last).toLocaleString("en")} later items are not printed.</p>
      ) : null}
    </section>
  )
}

const isLoaded = (byRow: ReadonlyMap<number, unknown>, last: number): boolean => {
  for (let row = 0; row <= last; row++) if (!byRow.has(row)) return false
  return true
}

const isOpen = (course: CourseHistory): boolean => course.head.value?.outcome === null

interface RowProps {
  readonly row: number
  readonly of: number
  readonly isHere: boolean
  /** Undefined while they load. */
  readonly items: ReadonlyArray<Told> | undefined
  readonly draw: (item: Told) => preact.JSX.Element
}

const Row = ({ row, of, isHere, items, draw }: RowProps) => {
  const studio = useStudio()
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the page move the position wherever the focus is.
    <li
      data-row={row}
      class={isHere ? "here" : undefined}
      aria-current={isHere ? "true" : undefined}
      aria-posinset={row + 1}
      aria-setsize={of}
      onClick={({ target }) => {
        const item = items?.at(-1)
        if (item === undefined || isPressable(target) || getSelection()?.isCollapsed === false) return
        studio.moveTo(item.position)
      }}
    >
      {items === undefined ? <span class="skeleton" /> : items.map(draw)}
    </li>
  )
}

const isPressable = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("a, button, summary, input, textarea, select") !== null
