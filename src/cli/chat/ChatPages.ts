/** The output of the chat's own commands. */

import { Effect } from "effect"
import type { Channel } from "../../agents/channel/Channel.ts"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as ModelUse from "../../projections/audit/ModelUse.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import * as Money from "../../values/Money.ts"
import * as AuditFacts from "../pages/audit/AuditFacts.ts"
import * as EventPage from "../pages/events/EventPage.ts"
import type { Style } from "../terminal/Style.ts"
import * as Table from "../terminal/Table.ts"
import { oneLine } from "../terminal/Text.ts"
import { HELP } from "./ChatLine.ts"

export const help = (style: Style): ReadonlyArray<string> =>
  Table.rows(
    style,
    HELP.map(([typed, does]) => [`  ${style.name(typed)}`, does]),
  )

export const why = (style: Style, { taskId, timeline }: Channel) =>
  Effect.gen(function* () {
    let last: Event | undefined
    yield* eachOf(taskId, timeline, ["MessageSent", "ActuatorCommanded"], (event) => {
      last = event
    })
    if (last === undefined) return ["It has not said or done anything yet."]
    const chain = yield* (yield* TimeTravel).why(`${timeline}@${last.position}`)
    return [...EventPage.chain(style, chain)]
  })

export const state = (style: Style, channel: Channel) =>
  Effect.map(channel.state, (now) => [
    `${style.bold(now.replaceAll("_", " "))} ${style.dim(`task ${oneLine(channel.taskId)} on ${oneLine(channel.timeline)}`)}`,
  ])

/** The model calls of the task so far, as its audit will count them. */
export const cost = ({ taskId, timeline }: Channel) =>
  Effect.gen(function* () {
    let folded = ModelUse.projection.initial
    yield* eachOf(taskId, timeline, ["ModelCalled", "ModelResponded", "ModelFailed"], (event) => {
      folded = ModelUse.projection.evolve(folded, event)
    })
    const use = ModelUse.section(folded)
    if (use === undefined) return ["It has asked no model yet."]
    return Object.entries(use.byModel).map(
      ([name, of]) => `${oneLine(name)}: ${AuditFacts.modelUse(of)}, cost ${Money.cost(of.cost)}`,
    )
  })

const eachOf = (taskId: string, timeline: string, types: ReadonlyArray<string>, take: (event: Event) => void) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    yield* Pages.forEach(view.readPage, { timeline, taskId, types }, (page) => {
      for (const event of page) take(event)
    })
  })
