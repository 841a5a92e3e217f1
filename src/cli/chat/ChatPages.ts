/** The output of the chat's own commands. */

import { Effect } from "effect"
import type { Channel } from "../../agents/channel/Channel.ts"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import * as EventPage from "../pages/events/EventPage.ts"
import type { Style } from "../terminal/Style.ts"
import * as Table from "../terminal/Table.ts"
import { count, oneLine } from "../terminal/Text.ts"
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

export const cost = ({ taskId, timeline }: Channel) =>
  Effect.gen(function* () {
    const models = new Map<string, { answers: number; input: number; output: number; usd: number; unpriced: number }>()
    const names = new Map<string, string>()
    yield* eachOf(taskId, timeline, ["ModelCalled", "ModelResponded", "ModelFailed"], (event) => {
      if (is(event, "ModelCalled")) names.set(event.id, `${event.payload.provider}/${event.payload.model}`)
      if (!is(event, "ModelResponded") && !is(event, "ModelFailed")) return
      const { usage, cost } = event.payload
      const name = names.get(event.causationId ?? "")
      if (usage === undefined || name === undefined) return
      const used = models.get(name) ?? { answers: 0, input: 0, output: 0, usd: 0, unpriced: 0 }
      used.answers += 1
      used.input += usage.inputTokens
      used.output += usage.outputTokens
      used.usd += cost?.usd ?? 0
      used.unpriced += cost === undefined ? 1 : 0
      models.set(name, used)
    })
    if (models.size === 0) return ["No model has answered yet."]
    return [...models].map(([name, { answers, input, output, usd, unpriced }]) => {
      const money = unpriced === answers ? "at an unknown price" : `$${usd.toFixed(4)}`
      const rest =
        unpriced === 0 || unpriced === answers ? "" : `, and ${count(unpriced, "answer")} at an unknown price`
      return `${oneLine(name)}: ${count(answers, "answer")}, ${input} tokens in, ${output} out, ${money}${rest}`
    })
  })

const eachOf = (taskId: string, timeline: string, types: ReadonlyArray<string>, take: (event: Event) => void) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    yield* Pages.forEach(view.readPage, { timeline, taskId, types }, (page) => {
      for (const event of page) take(event)
    })
  })
