/** `hindcast fork @412 --set … -- node agent.js`: a recorded program goes on from a moment, on a timeline of its own. */
import { Effect, Option } from "effect"
import { EventLog, Exact } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as TimelineName from "../../kernel/fork/TimelineName.ts"
import type { Changes } from "../../record/fork/ForkedFetch.ts"
import { BadInput } from "../command/BadInput.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import { at as shownAt } from "../terminal/Text.ts"
import * as Program from "./Program.ts"

/** What was typed. */
export interface Typed {
  readonly log: Parameters<typeof OpenLog.forEvents>[0]
  readonly json: boolean
  readonly at: string
  readonly task: Option.Option<string>
  readonly timeline: Option.Option<string>
  readonly set: ReadonlyArray<string>
  readonly words: ReadonlyArray<string>
}

/** Runs the program: what it asked up to the moment is answered from the log, the rest is asked for real and recorded. */
export const fork = (typed: Typed) =>
  Effect.gen(function* () {
    const program = yield* Program.checked(typed.words)
    const changes = yield* changesOf(typed.set)
    const place = yield* placeOf(typed).pipe(Effect.provide(OpenLog.forEvents(typed.log)))
    const { taskId, parent, at, timeline } = place
    // With --json, the result alone is written to the standard output.
    const running: Program.Running = typed.json ? { stdio: ["inherit", 2, "inherit"] } : {}
    const told = (failed: string) => ({ does: "fork" as const, changes, failed, ...place })
    const { ended, closing } = yield* Program.runRecording(program, told, running)
    process.exitCode = Program.exitCodeOf(ended)
    const isForked = yield* close(place, closing).pipe(Effect.provide(OpenLog.forWriting(typed.log)))
    if (!isForked) return
    const compared = `\`hindcast align ${parent} ${timeline} --task ${taskId}\``
    yield* typed.json
      ? Output.show(true, { taskId, parent, at, timeline, changes }, () => [])
      : Output.note(
          `Task ${taskId} went on from ${shownAt(at)} in timeline ${timeline}. ${compared} shows where they part.`,
        )
  })

/** The differences that `--set` names. */
const changesOf = (texts: ReadonlyArray<string>): Effect.Effect<Changes, BadInput> =>
  Effect.reduce(texts, {} as Changes, (changes, text) => {
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    const refused = (found: string) =>
      new BadInput({ input: `--set ${text}`, expected: "model=NAME, answer=TEXT or result=TEXT, each once", found })
    if (name !== "model" && name !== "answer" && name !== "result") return refused("another setting")
    if (value === "") return refused(`no ${name}`)
    return name in changes ? refused(`a second ${name}`) : Effect.succeed({ ...changes, [name]: value })
  })

/** Where the fork leaves, and what it is called. */
const placeOf = ({ at, task, timeline: chosen }: Typed) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { position, timeline: parent } = yield* Moment.locate(at)
    const view = Timelines.view(log, yield* Timelines.named(log, parent))
    const taskId = Option.isSome(task) ? yield* Ids.task(task.value) : yield* taskAt(view, position, at)
    const [opened] = yield* view.readPage({ timeline: parent, taskId, types: ["TaskOpened"], until: position }, 1)
    if (opened === undefined || !is(opened, "TaskOpened") || opened.payload.recorder === undefined) {
      const found = opened === undefined ? "one that began later" : "a task that was not"
      const expected = "a moment of a task that `hindcast record` recorded"
      return yield* new BadInput({ input: at, expected, found })
    }
    const [closed] = yield* view.readPage({ timeline: parent, taskId, types: ["TaskClosed"], until: position }, 1)
    if (closed !== undefined) {
      return yield* new BadInput({ input: at, expected: "a moment before the task's end", found: "one after it" })
    }
    const known = (yield* Timelines.list(log)).map(({ name }) => name)
    const timeline = Option.isSome(chosen) ? yield* TimelineName.checked(chosen.value, known) : TimelineName.next(known)
    return { log: log.name, taskId, parent, at: position, timeline, agent: opened.payload.agent }
  })

/** The task of the event at a position. */
const taskAt = (view: typeof EventLog.Service, position: number, input: string) =>
  Effect.gen(function* () {
    const [event] = yield* view.readPage({ timeline: view.timeline, after: position - 1, until: position }, 1)
    const taskId = event?.taskId ?? null
    if (taskId !== null) return taskId
    return yield* new BadInput({
      input,
      expected: "an event of a task, or its task by --task",
      found: "one of no task",
    })
  })

/** Closes the task in the fork if its program did not. Whether there is a fork. */
const close = (
  { taskId, timeline }: { readonly taskId: string; readonly timeline: string },
  payload: Program.Recorded["closing"],
) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const stream = `task/${taskId}`
    const [forked] = yield* log.readPage({ timeline, stream: `timeline/${timeline}` }, 1)
    if (forked === undefined) return false
    const [closed] = yield* log.readPage({ timeline, taskId, types: ["TaskClosed"] }, 1)
    if (closed === undefined) {
      const expected = Exact(yield* log.versionOf(stream, timeline))
      const events = [{ type: "TaskClosed", payload }] as const
      yield* log.append({ timeline, stream, taskId, actor: "kernel", expected, events })
    }
    return true
  })
