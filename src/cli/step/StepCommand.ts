/** The command `hindcast step`: steps through a log interactively. */
import * as path from "node:path"
import { Args, Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog, MAIN } from "../../events/log/EventLog.ts"
import { TaskNotFound } from "../../projections/audit/TaskAudit.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import { pointerToken } from "../../values/Json.ts"
import { argument, log, optionalText } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as FullScreen from "../terminal/FullScreen.ts"
import * as Screen from "./Screen.ts"
import { moved, press, type Search, type Session, say } from "./Session.ts"
import * as TimelineCursor from "./TimelineCursor.ts"

export const step = Command.make(
  "step",
  {
    log,
    task: argument("task", "Step only through this task's events, from its opening on. Default: all events").pipe(
      Args.optional,
    ),
    at: optionalText("at", "The moment to begin at: a position, an event's id or a time. Default: the first event"),
  },
  ({ log, task, at }) =>
    Effect.gen(function* () {
      const terminal = yield* FullScreen.open("step", WITHOUT_TERMINAL)
      const style = Output.styleOf(process.stdout)
      let session = yield* openSession(path.basename(OpenLog.filenameOf(log)), task, at)
      for (;;) {
        yield* terminal.draw(Screen.rows(style, session, terminal.size()))
        const key = yield* terminal.next
        if (key === "resized") continue
        const update = press(session, key)
        if (update.do === "quit") return
        session = update.session
        if (update.do === "show") continue
        yield* terminal.draw(Screen.rows(style, say(session, "Looking … (Esc stops)"), terminal.size()))
        const found = yield* terminal.stoppable(runSearch(session, update.search))
        session = found === "stopped" ? say(session, "Stopped. The search began here.") : found
      }
    }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("Step through a log in the terminal: forward and back, with the state at each moment"))

const WITHOUT_TERMINAL =
  "Without one, `hindcast log ls`, `state`, `diff`, `history` and `why` answer the same questions."

const openSession = (name: string, task: Option.Option<string>, at: Option.Option<string>) =>
  Effect.gen(function* () {
    const taskId = Option.isNone(task) ? null : yield* Ids.task(task.value)
    const start = Option.isSome(at) ? yield* TimelineCursor.moment(at.value, MAIN) : yield* startOf(taskId)
    const cursor = yield* TimelineCursor.of(start.timeline)
    const session: Session = {
      log: name,
      timeline: start.timeline,
      head: cursor.head,
      moment: yield* TimelineCursor.momentAt(cursor, start.position),
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

const startOf = (taskId: string | null) =>
  Effect.gen(function* () {
    if (taskId === null)
      return yield* Effect.orElse(TimelineCursor.moment("@1", MAIN), () => TimelineCursor.moment("@0", MAIN))
    const opened = (yield* TaskList.heading(yield* EventLog, taskId))?.from
    return opened === undefined ? yield* new TaskNotFound({ taskId }) : yield* TimelineCursor.moment(`@${opened}`, MAIN)
  })

/** Runs a search and moves the session to its result. Without a result, or on failure, shows a message instead. */
const runSearch = (session: Session, search: Search) =>
  Effect.gen(function* () {
    const target =
      search.kind === "moment"
        ? yield* TimelineCursor.moment(search.moment, session.timeline)
        : { timeline: session.timeline, position: -1 }
    const cursor = yield* TimelineCursor.of(target.timeline)
    const found = search.kind === "moment" ? Option.some(target.position) : yield* findPosition(cursor, session, search)
    const now = { ...session, timeline: target.timeline, head: cursor.head }
    if (Option.isNone(found)) return say(now, notFoundMessage(search))
    return moved(now, yield* TimelineCursor.momentAt(cursor, found.value))
  }).pipe(Effect.catchAll(({ message }) => Effect.succeed(say(session, message, true))))

const findPosition = (
  cursor: TimelineCursor.TimelineCursor,
  { moment, task }: Session,
  search: Exclude<Search, { kind: "moment" }>,
) => {
  const { position } = moment
  const which = task === null ? {} : { taskId: task }
  switch (search.kind) {
    case "event":
      return TimelineCursor.step(cursor, position, search.direction, which, search.steps)
    case "reward":
      return TimelineCursor.step(
        cursor,
        position,
        search.direction,
        { ...which, types: ["RewardGiven", "PunishmentGiven"] },
        1,
      )
    case "change":
      return TimelineCursor.change(
        cursor,
        position,
        search.direction,
        search.path === "" ? defaultPath(task) : search.path,
      )
    case "predicate":
      return TimelineCursor.transition(cursor, position, search.direction, search.predicate)
  }
}

/** The default path of change searches: the part of the state that the stepped events can change. */
const defaultPath = (task: string | null): string => (task === null ? "" : `/tasks/${pointerToken(task)}`)

const notFoundMessage = (search: Search): string => {
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
      return `The predicate does not become true ${where} this: ${search.predicate}`
  }
}
