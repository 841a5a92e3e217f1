import * as path from "node:path"
import { Args, Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { MAIN } from "../events/EventLog.ts"
import { pointerToken } from "../events/Json.ts"
import { Projector } from "../projections/Projector.ts"
import { TaskNotFound } from "../projections/TaskAudit.ts"
import * as Tasks from "../projections/Tasks.ts"
import { log } from "./CommonOptions.ts"
import * as Ids from "./Ids.ts"
import * as OpenLog from "./OpenLog.ts"
import * as Output from "./Output.ts"
import * as Screen from "./step/Screen.ts"
import { moved, press, type Search, type Session, say } from "./step/Session.ts"
import * as Tape from "./step/Tape.ts"
import * as Terminal from "./step/Terminal.ts"

/** `hindcast step [TASK]` */
export const step = Command.make(
  "step",
  {
    log,
    task: Args.text({ name: "task" }).pipe(
      Args.withDescription("Step through this task's events only, from its opening on. Default: all events"),
      Args.optional,
    ),
    at: Options.text("at").pipe(
      Options.withDescription("The moment to begin at: a position, an event's id or a time. Default: the first event"),
      Options.optional,
    ),
  },
  ({ log, task, at }) =>
    Effect.gen(function* () {
      const terminal = yield* Terminal.open
      const style = Output.styleOf(process.stdout)
      let session = yield* begin(path.basename(OpenLog.filenameOf(log)), task, at)
      for (;;) {
        yield* terminal.draw(Screen.rows(style, session, terminal.size()))
        const key = yield* terminal.next
        if (key === "resized") continue
        const turn = press(session, key)
        if (turn.do === "quit") return
        session = turn.session
        if (turn.do === "show") continue
        yield* terminal.draw(Screen.rows(style, say(session, "Looking … (Esc stops)"), terminal.size()))
        const found = yield* terminal.stoppable(look(session, turn.search))
        session = found === "stopped" ? say(session, "Stopped; this is where it began.") : found
      }
    }).pipe(Effect.scoped, Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("Step through a log in the terminal: forward and back, with the state at each moment"))

const begin = (name: string, task: Option.Option<string>, at: Option.Option<string>) =>
  Effect.gen(function* () {
    const taskId = Option.isNone(task) ? null : yield* Ids.task(task.value)
    const start = Option.isSome(at) ? yield* Tape.moment(at.value, MAIN) : yield* firstOf(taskId)
    const tape = yield* Tape.of(start.timeline)
    const session: Session = {
      log: name,
      timeline: start.timeline,
      head: tape.head,
      frame: yield* Tape.frameAt(tape, start.position),
      pane: "event",
      scroll: 0,
      task: taskId,
      path: "",
      predicate: "",
      direction: "forward",
      prompt: null,
      message: null,
    }
    return session
  })

/** The moment of a task's opening, or of the log's first event. */
const firstOf = (taskId: string | null) =>
  Effect.gen(function* () {
    if (taskId === null) return yield* Effect.orElse(Tape.moment("@1", MAIN), () => Tape.moment("@0", MAIN))
    const tasks = yield* (yield* Projector).current(Tasks.projection)
    const opened = tasks[taskId]?.from
    return opened === undefined ? yield* new TaskNotFound({ taskId }) : yield* Tape.moment(`@${opened}`, MAIN)
  })

/** The session at what was looked for; where nothing was found, or it cannot be looked for, with a word of why. */
const look = (session: Session, search: Search) =>
  Effect.gen(function* () {
    const target =
      search.kind === "moment"
        ? yield* Tape.moment(search.moment, session.timeline)
        : { timeline: session.timeline, position: -1 }
    const tape = yield* Tape.of(target.timeline)
    const found = search.kind === "moment" ? Option.some(target.position) : yield* find(tape, session, search)
    const now = { ...session, timeline: target.timeline, head: tape.head }
    if (Option.isNone(found)) return say(now, nothing(search))
    return moved(now, yield* Tape.frameAt(tape, found.value))
  }).pipe(Effect.catchAll(({ message }) => Effect.succeed(say(session, message, true))))

const find = (tape: Tape.Tape, { frame, task }: Session, search: Exclude<Search, { kind: "moment" }>) => {
  const { position } = frame
  const which = task === null ? {} : { taskId: task }
  switch (search.kind) {
    case "event":
      return Tape.step(tape, position, search.direction, which, search.steps)
    case "reward":
      return Tape.step(tape, position, search.direction, { ...which, types: ["RewardGiven", "PunishmentGiven"] }, 1)
    case "change":
      return Tape.change(tape, position, search.direction, search.path === "" ? whole(task) : search.path)
    case "predicate":
      return Tape.turn(tape, position, search.direction, search.predicate)
  }
}

/** What changes are looked for in where no path was set: all that the events stepped through can change. */
const whole = (task: string | null): string => (task === null ? "" : `/tasks/${pointerToken(task)}`)

const nothing = (search: Search): string => {
  if (search.kind === "moment") return ""
  const [where, there] = search.direction === "forward" ? ["after", "last"] : ["before", "first"]
  switch (search.kind) {
    case "event":
      return `This is the ${there} event.`
    case "reward":
      return `No reward or punishment comes ${where} this.`
    case "change":
      return `Nothing changes ${search.path === "" ? "the environment" : search.path} ${where} this.`
    case "predicate":
      return `Nowhere ${where} this does it turn true: ${search.predicate}`
  }
}
