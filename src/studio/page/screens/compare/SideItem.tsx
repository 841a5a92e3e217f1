/** One item of a conversation next to the other's: who, what in short, and the words that the other does not have. */
import type { Item } from "../../../../projections/conversation/Item.ts"
import type { RowDifferences } from "../../../wire/Asking.ts"
import type { TaskHead } from "../../../wire/Task.ts"
import { visit } from "../../model/Address.ts"
import { duration, inline } from "../../parts/format.ts"
import { Link } from "../../parts/Link.tsx"
import { pathText, Words } from "./Words.tsx"

/** Maximum characters of a text: the link leads to all of it. */
const LONGEST = 1_200

/** The path of a part of an answer or a message. */
const TEXT = /\/(text|content)$/

interface SideItemProps {
  readonly item: Item
  readonly run: TaskHead
  readonly side: "-" | "+"
  /** The differences from the other side, once they are known. */
  readonly found: RowDifferences[number] | undefined
}

export const SideItem = ({ item, run: { timeline, id }, side, found }: SideItemProps) => {
  const text = textOf(item)
  const places =
    found?.shown.filter(
      ({ path, parts }) =>
        parts.some(({ mark }) => mark === " " || mark === side) &&
        // The calls of an answer have rows of their own.
        (item.kind !== "answer" || (TEXT.test(path) && !path.includes("/args/"))),
    ) ?? []
  return (
    <article class={`side-item is-${item.kind}${isBad(item) ? " bad" : ""}`}>
      <header>
        <b>{whoOf(item)}</b> <small>{factsOf(item)}</small>
        <Link to={visit({ timeline, task: id }, item.position, { view: "conversation" })} class="at">
          @{item.position}
        </Link>
      </header>
      {places.length === 0 ? (
        text === "" ? null : (
          <p class="side-text">
            <bdi>{text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text}</bdi>
          </p>
        )
      ) : (
        places.map((place) => (
          <p class="side-text" key={place.path}>
            {TEXT.test(place.path) ? null : <small class="path">{pathText(place)} </small>}
            <Words parts={place.parts} side={side} />
          </p>
        ))
      )}
      {found !== undefined && found.more > 0 && item.kind !== "answer" ? (
        <p class="note">… {found.more} more places differ</p>
      ) : null}
    </article>
  )
}

/** The words of an item, by which two items are the same. */
export const textOf = (item: Item): string => {
  switch (item.kind) {
    case "goal":
    case "guide":
    case "input":
    case "said":
      return item.text
    case "answer":
      return [item.text, ...item.calls.map(({ tool, args }) => `${tool} ${inline(args, LONGEST)}`), item.failed?.reason]
        .filter((part) => part !== undefined && part !== "")
        .join("\n")
    case "call": {
      const end = item.end === null || item.end.status === "succeeded" ? "" : `: ${inline(item.end.result, LONGEST)}`
      return `${inline(item.args, LONGEST)}${end}`
    }
    case "note":
      return item.line
    case "close":
      return item.reason
  }
}

const whoOf = (item: Item): string => {
  switch (item.kind) {
    case "goal":
      return "Goal"
    case "guide":
      return "System"
    case "input":
      return item.by.replace(/^human:/, "")
    case "said":
      return item.agentId ?? "agent"
    case "answer":
      return item.agentId ?? "answer"
    case "call":
      return item.tool
    case "note":
      return item.what
    case "close":
      return item.outcome
  }
}

const factsOf = (item: Item): string => {
  if (item.kind === "answer") return item.latencyMs === null ? "" : duration(item.latencyMs)
  if (item.kind !== "call") return ""
  const took = item.end?.latencyMs == null ? "" : duration(item.end.latencyMs)
  const by = item.approval?.by == null ? "" : `${item.approval.state} by ${item.approval.by}`
  return [item.state === "succeeded" ? "" : item.state, by, took].filter((part) => part !== "").join(", ")
}

const isBad = (item: Item): boolean => {
  if (item.kind === "answer") return item.failed !== null
  if (item.kind === "call") return item.end !== null && item.end.status !== "succeeded"
  return item.kind === "close" && (item.outcome === "failed" || item.outcome === "abandoned")
}
