/** The recorded session that a fork continues: its task, how it was recorded, and its conversation up to the moment. */
import { Effect, Option } from "effect"
import type { EventLog } from "../../../events/log/EventLog.ts"
import * as Moment from "../../../events/read/Moment.ts"
import * as Timelines from "../../../events/read/Timelines.ts"
import type { ForkedFrom, Recorder } from "../../../events/vocabulary/Tasks.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import * as Clients from "../../../hooks/clients/Clients.ts"
import * as Conversation from "../../../workspace/fork/Conversation.ts"
import { BadInput } from "../../command/BadInput.ts"
import * as Ids from "../../command/Ids.ts"

export interface ForkedSession {
  readonly from: ForkedFrom
  /** The client's name in the log, and for people. */
  readonly agent: string
  readonly title: string
  /** `client`: a coding agent's session. `program`: a program that `record` ran, and that can run again. */
  readonly kind: "client" | "program"
  readonly log: EventLog.Service
}

/** The task of the event at a moment, or the named one. */
export const find = (log: EventLog.Service, moment: string, named: Option.Option<string>) =>
  Effect.gen(function* () {
    const { timeline, position } = yield* Moment.locate(moment)
    const view = timeline === log.timeline ? log : Timelines.view(log, yield* Timelines.named(log, timeline))
    const typed = Option.isSome(named) ? yield* Ids.task(named.value) : undefined
    const taskId = typed ?? (yield* Moment.taskAt(view, position))
    if (taskId === null)
      return yield* new BadInput({
        input: moment,
        expected: "a moment of a session, or its task by --task",
        found: "an event of no task",
      })
    const query = { timeline, taskId, types: ["TaskOpened"], until: position }
    const [opened] = yield* view.readPage(query, 1)
    if (opened === undefined || !is(opened, "TaskOpened"))
      return yield* new BadInput({
        input: moment,
        expected: `a moment of task ${taskId}`,
        found: "one before it began",
      })
    const { recorder, agent } = opened.payload
    const kind = recorder === undefined ? undefined : KINDS[recorder.means ?? "program"]
    if (kind === undefined)
      return yield* new BadInput({
        input: taskId,
        expected: "a session that hooks, `acp record` or `hindcast record` recorded",
        found:
          recorder === undefined ? "a task that was imported, or that a kernel works on" : "one with an MCP server",
        advice: "`hindcast files restore` writes its files, and `hindcast fork` continues a kernel's task.",
      })
    const title = Clients.named(agent)?.title ?? agent
    return { from: { taskId, timeline, at: position }, agent, title, kind, log: view } satisfies ForkedSession
  })

const KINDS: Readonly<Record<NonNullable<Recorder["means"]> | "program", ForkedSession["kind"] | undefined>> = {
  hooks: "client",
  acp: "client",
  program: "program",
  proxy: "program",
  intercept: "program",
  mcp: undefined,
}

/** The conversation up to the moment, with the earlier parts of a resumed session. */
export const conversationOf = ({ log, from: { taskId, at } }: ForkedSession) => {
  const [, id = taskId, part = "1"] = /^(.*)\.(\d{1,3})$/.exec(taskId) ?? []
  const taskIds = Array.from({ length: Number(part) }, (_, index) => (index === 0 ? id : `${id}.${index + 1}`))
  return Conversation.read(log, { taskIds: taskIds.includes(taskId) ? taskIds : [taskId], until: at })
}

/**
 * Whether a program that runs again makes its calls again. Where it recorded its tools itself, the log answers for them
 * up to the moment.
 */
export const repeatsCalls = ({ log, from: { taskId, at } }: ForkedSession) =>
  Effect.gen(function* () {
    let [own, observed] = [0, 0]
    const query = { timeline: log.timeline, taskId, types: ["ActuatorCommanded"], until: at }
    for (let after = 0; ; ) {
      const page = yield* log.readPage({ ...query, after }, PAGE)
      for (const event of page)
        if (is(event, "ActuatorCommanded") && event.payload.observed === true) observed++
        else own++
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return own === 0 || observed > 0
      after = last.position
    }
  })

const PAGE = 500
