/** Two conversations next to each other, from the first decision that differs, with the words that differ. */
import { useLayoutEffect, useMemo, useRef } from "preact/hooks"
import type { Item } from "../../../../projections/conversation/Item.ts"
import type { Comparison } from "../../../wire/Asking.ts"
import { visit } from "../../model/Address.ts"
import type { CourseOfTask } from "../../model/Course.ts"
import type { CourseHistory } from "../../model/CourseHistory.ts"
import { type SideBySide, twoTalks } from "../../model/conversation/sideBySide.ts"
import { Talk } from "../../model/conversation/Talk.ts"
import { useStudio } from "../../parts/context.ts"
import { useRows } from "../../parts/conversation/useRows.ts"
import { Link } from "../../parts/Link.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { SideItem, textOf } from "./SideItem.tsx"
import { type Row, useDifferences } from "./useDifferences.ts"

interface BothProps {
  readonly comparison: Comparison
  readonly courses: ReadonlyArray<CourseHistory>
}

/** Waits for the outlines of both tasks. */
export const BothTalks = ({ comparison, courses }: BothProps) => {
  const [a, b] = courses
  const [inA, inB] = [a?.marks.value ?? null, b?.marks.value ?? null]
  if (a === undefined || b === undefined || inA === null || inB === null)
    return <div class="both-talks" aria-busy="true" />
  return <Rows comparison={comparison} a={a} b={b} inA={inA} inB={inB} />
}

interface RowsProps {
  readonly comparison: Comparison
  readonly a: CourseHistory
  readonly b: CourseHistory
  readonly inA: CourseOfTask
  readonly inB: CourseOfTask
}

const ESTIMATE = 72

const Rows = ({ comparison, a, b, inA, inB }: RowsProps) => {
  const studio = useStudio()
  studio.history.value?.version.value
  a.version.value
  b.version.value
  const position = studio.position.value
  const ofVisit = studio.talk.value
  // Keys step through the items of the visited task, so its own conversation has to know them.
  const talks = useMemo(() => ({ a: ofVisit ?? new Talk(a, inA), b: new Talk(b, inB) }), [ofVisit, a, b, inA, inB])
  const { rows, split } = useMemo(() => twoTalks(comparison, inA, inB), [comparison, inA, inB, inA.length, inB.length])
  // A link to a position begins there; any other, where the two split.
  const asked = studio.visit?.at ?? null
  const here = Math.max(
    0,
    rows.findLastIndex((row) => row.a !== 0 && row.a <= position),
  )
  const moved = useRef(asked)
  const laid = useRows({
    length: rows.length,
    estimate: () => ESTIMATE,
    key: rows,
    begin: asked === null ? (split ?? 0) : here,
    toEnd: false,
    onRead: () => {},
  })
  useLayoutEffect(() => {
    if (moved.current === null && asked === null) return
    moved.current = asked
    laid.reveal(here)
  }, [here, studio.moves.value])
  const visible = rows.slice(laid.first, laid.last + 1)
  const inTalk = (talk: Talk, side: "a" | "b") => {
    const found = visible.flatMap((row) => (row[side] === 0 ? [] : [talk.rows.at(row[side])]))
    const { byRow } = talk.items(Math.max(0, Math.min(...found, talk.rows.length)), Math.max(0, ...found))
    return (at: number): ReadonlyArray<Item> | undefined => (at === 0 ? [] : byRow.get(talk.rows.at(at)))
  }
  const [itemsA, itemsB] = [inTalk(talks.a, "a"), inTalk(talks.b, "b")]
  const drawn = visible.map((row) => ({ row, a: itemsA(row.a), b: itemsB(row.b) }))
  const differences = useDifferences(drawn.map(({ row, a, b }) => compared(row, a, b)))
  return (
    <section class="both-talks" aria-label="Both conversations">
      <Problem text={differences.problem} />
      <div class="both-heads">
        {[comparison.a, comparison.b].map(({ timeline, id }, side) => (
          <Link key={side} to={visit({ timeline, task: id }, null, { view: "conversation" })}>
            <bdi>{comparison.labels[side]}</bdi>
          </Link>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
      <section class="both-rows" ref={laid.box} aria-label="Item by item" tabIndex={0} onScroll={laid.onScroll}>
        <div class="rows" style={{ height: `${laid.height}px` }}>
          <ol ref={laid.list} style={{ top: `${laid.top}px` }}>
            {drawn.map(({ row, a: left, b: right }, at) => (
              <TwoItems
                key={`${row.a} ${row.b}`}
                index={laid.first + at}
                of={rows.length}
                row={row}
                left={left}
                right={right}
                comparison={comparison}
                isHere={laid.first + at === here}
                isSplit={laid.first + at === split}
                found={differences.of(compared(row, left, right))}
              />
            ))}
          </ol>
        </div>
      </section>
    </section>
  )
}

/** The events to compare: those that say most about two matched items with different words. */
const compared = (
  row: SideBySide,
  a: ReadonlyArray<Item> | undefined,
  b: ReadonlyArray<Item> | undefined,
): Row | undefined => {
  const [left, right] = [a?.at(-1), b?.at(-1)]
  if (!row.isMatched || left === undefined || right === undefined) return undefined
  if (left.kind !== right.kind || isSame(left, right)) return undefined
  return ["~", left.position, right.position]
}

const isSame = (left: Item, right: Item): boolean => textOf(left) === textOf(right)

interface TwoItemsProps {
  readonly index: number
  readonly of: number
  readonly row: SideBySide
  readonly left: ReadonlyArray<Item> | undefined
  readonly right: ReadonlyArray<Item> | undefined
  readonly comparison: Comparison
  readonly isHere: boolean
  readonly isSplit: boolean
  readonly found: ReturnType<ReturnType<typeof useDifferences>["of"]>
}

const TwoItems = ({ index, of, row, left, right, comparison, isHere, isSplit, found }: TwoItemsProps) => {
  const studio = useStudio()
  const [one, other] = [left?.at(-1), right?.at(-1)]
  const same = row.isMatched && one !== undefined && other !== undefined && isSame(one, other)
  // Such as a message that repeats its model's answer.
  if ((row.a === 0 || left?.length === 0) && (row.b === 0 || right?.length === 0))
    return <li data-row={index} aria-hidden="true" />
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the page move the position wherever the focus is.
    <li
      data-row={index}
      class={`two-items${isHere ? " here" : ""}${isSplit ? " parts" : ""}${same ? " same" : ""}`}
      aria-current={isHere ? "true" : undefined}
      aria-posinset={index + 1}
      aria-setsize={of}
      onClick={({ target }) => {
        if (target instanceof Element && target.closest("a, button, summary") !== null) return
        if (row.a !== 0) studio.moveTo(row.a)
      }}
    >
      {isSplit ? <p class="parting">their decisions split here</p> : null}
      {(["a", "b"] as const).map((side) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields.
        <div key={side} class="one-side" role="group" aria-label={comparison.labels[side === "a" ? 0 : 1]}>
          {row[side] === 0 || (side === "a" ? left : right)?.length === 0 ? (
            <span class="nothing">–</span>
          ) : (side === "a" ? left : right) === undefined ? (
            <span class="skeleton" />
          ) : (
            ((side === "a" ? left : right) ?? []).map((item, at, all) => (
              <SideItem
                key={item.position}
                item={item}
                run={comparison[side]}
                side={side === "a" ? "-" : "+"}
                found={at === all.length - 1 ? found : undefined}
              />
            ))
          )}
        </div>
      ))}
    </li>
  )
}
