/** Formats events as one line each. */
import type { Event } from "../../../events/vocabulary/Event.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import * as CommandState from "../../../kernel/acting/CommandState.ts"
import * as EventSummary from "../../../projections/summary/EventSummary.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, shorten, time } from "../../terminal/Text.ts"

/** The position of each event, with its timeline if the events are of several. */
export const places = (events: ReadonlyArray<Event>): ReadonlyArray<string> => {
  const several = events.some(({ timeline }) => timeline !== events[0]?.timeline)
  return events.map(({ timeline, position }) => (several ? `${oneLine(timeline)}${at(position)}` : at(position)))
}

/** Aligned lines: position, time, type, actor, summary. */
export const lines = (style: Style, events: ReadonlyArray<Event>): ReadonlyArray<string> => {
  const named = places(events)
  const overlapping = commandsOf(events)
  const [positions, types, actors] = [
    width(named),
    width(events.map(({ type }) => type)),
    width(events.map(({ actor }) => actor)),
  ]
  return events.map((event, index) =>
    [
      style.bold((named[index] ?? "").padStart(positions)),
      style.dim(time(event.occurredAt)),
      paint(style, event)(oneLine(event.type).padEnd(types)),
      style.dim(oneLine(event.actor).padEnd(actors)),
      `${overlapping.get(event) ?? ""}${EventSummary.of(event)}`,
    ]
      .join("  ")
      .trimEnd(),
  )
}

/** The request of each ending command that overlaps another one, to tell the ends apart. */
const commandsOf = (events: ReadonlyArray<Event>): ReadonlyMap<Event, string> => {
  const open = new Map<unknown, Event>()
  const overlapping = new Set<Event>()
  const found = new Map<Event, string>()
  for (const event of events) {
    const { commandId } = event.payload
    if (is(event, "ActuatorCommanded")) {
      open.set(commandId, event)
      if (open.size > 1) for (const command of open.values()) overlapping.add(command)
    }
    const command = open.get(commandId)
    if (command === undefined || !CommandState.isEnd(event.type)) continue
    open.delete(commandId)
    if (overlapping.has(command)) found.set(event, `${shorten(EventSummary.of(command), MAX_COMMAND)} → `)
  }
  return found
}

const MAX_COMMAND = 40

/** Maximum width of a column. A long actor name would push the summary off the screen. */
const MAX_WIDTH = 30

const width = (cells: ReadonlyArray<string>): number =>
  Math.min(
    MAX_WIDTH,
    cells.reduce((widest, cell) => Math.max(widest, cell.length), 0),
  )

const paint = (style: Style, { type }: Event): ((text: string) => string) => {
  if (BAD.test(type)) return style.bad
  if (GOOD.test(type)) return style.good
  return style.name
}

export const typeOf = (style: Style, event: Event): string => paint(style, event)(oneLine(event.type))

export const shortOf = (style: Style, events: ReadonlyArray<Event>): ReadonlyArray<string> => {
  const named = places(events)
  return events.map(
    (event, index) => `${style.bold(named[index] ?? "")} ${typeOf(style, event)}  ${EventSummary.of(event)}`,
  )
}

const BAD = /Failed$|Denied$|Punishment|Quarantined$|OutcomeUnknown$|Expired$/
const GOOD = /^RewardGiven$|^CommandSucceeded$/
