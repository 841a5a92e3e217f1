/** The command `hindcast step`: steps through a log interactively. */
import * as path from "node:path"
import { Args, Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog, MAIN } from "../../events/log/EventLog.ts"
import { TaskNotFound } from "../../projections/audit/TaskAudit.ts"
import type { ScoreChoice } from "../../projections/report/ScoreChoice.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import { pointerToken } from "../../values/Json.ts"
import { argument, log, optionalText } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ScoreOption from "../export/ScoreOption.ts"
import * as FullScreen from "../terminal/FullScreen.ts"
import * as Content from "./Content.ts"
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
    scores: ScoreOption.scores,
    at: optionalText("at", "The moment to begin at: a position, an event's id or a time. Default: the first event"),
  },
  ({ log, task, scores, at }) =>
    Effect.gen(function* () {
      const terminal = yield* FullScreen.open("step", WITHOUT_TERMINAL)
      const style = Output.styleOf(process.stdout)
      let session = yield* openSession(path.basename(OpenLog.filenameOf(log)), task, at)
      const choice = yield* ScoreOption.resolve(scores)
      for (;;) {
        yield* terminal.draw(Screen.rows(style, session, terminal.size()))
        const key = yield* terminal.next
        if (key === "resized") continue
        const update = press(session, key)
        if (update.do === "quit") return
        session = update.session
        const work = update.do === "show" ? filled(session, choice) : runSearch(session, update.search, choice)
        if (work === undefined) continue
        yield* terminal.draw(Screen.rows(style, say(session, "Looking … (Esc stops)"), terminal.size()))
        const found = yield* terminal.stoppable(work)
        session = found === "stopped" ? say(stopped(session), "Stopped. The search began here.") : found
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
      content: null,
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

/** Reads the content of the session's pane; undefined if it is there. */
const filled = (session: Session, choice: ScoreChoice) =>
  Content.lacks(session)
    ? Effect.flatMap(TimelineCursor.of(session.timeline), (cursor) => Content.fill(session, cursor, choice)).pipe(
        Effect.catchAll(({ message }) => Effect.succeed(say(session, message, true))),
      )
    : undefined

const stopped = (session: Session): Session =>
  Content.lacks(session) ? Content.showing(session, { kind: "none", says: "Nothing was read." }) : session

/** Runs a search and moves the session to its result. Without a result, or on failure, shows a message instead. */
const runSearch = (session: Session, search: Search, choice: ScoreChoice) =>
  Effect.gen(function* () {
    const target =
      search.kind === "moment"
        ? yield* TimelineCursor.moment(search.moment, session.timeline)
        : { timeline: session.timeline, position: -1 }
    const cursor = yield* TimelineCursor.of(target.timeline)
    const found =
      search.kind === "moment" ? Option.some(target.position) : yield* findPosition(cursor, session, search, choice)
    const now = { ...session, timeline: target.timeline, head: cursor.head }
    const shown = Option.isNone(found)
      ? say(now, notFoundMessage(search))
      : moved(now, yield* TimelineCursor.momentAt(cursor, found.value))
    return yield* Content.fill(shown, cursor, choice)
  }).pipe(Effect.catchAll(({ message }) => Effect.succeed(say(session, message, true))))

const findPosition = (
  cursor: TimelineCursor.TimelineCursor,
  session: Session,
  search: Exclude<Search, { kind: "moment" }>,
  choice: ScoreChoice,
) => {
  const { task } = session
  const { position } = session.moment
  const which = task === null ? {} : { taskId: task }
  switch (search.kind) {
    case "event":
      return TimelineCursor.step(cursor, position, search.direction, which, search.steps)
    case "item":
      return Effect.succeed(Content.item(session, search.direction, search.steps))
    case "reward":
      return task === null
        ? TimelineCursor.step(cursor, position, search.direction, { types: ["RewardGiven", "PunishmentGiven"] }, 1)
        : Effect.map(Content.rewarded(session, cursor, task, choice), (moments) =>
            Option.fromNullable(
              search.direction === "forward"
                ? moments.find((moment) => moment > position)
                : moments.findLast((moment) => moment < position),
            ),
          )
    case "failure":
      return TimelineCursor.failure(cursor, position, search.direction, which)
    case "worst": {
      const of = Content.taskOf(session)
      return of === null
        ? Effect.succeedNone
        : Effect.map(Content.worst(session, cursor, of, choice), Option.fromNullable)
    }
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
  if (search.kind === "worst") return "Nothing went wrong in a task here."
  const [where, there] = search.direction === "forward" ? ["after", "last"] : ["before", "first"]
  switch (search.kind) {
    case "event":
      return `This is the ${there} event.`
    case "item":
      return `This is the ${there} item of the conversation.`
    case "failure":
      return search.direction === "forward" ? "Nothing fails after this." : "Nothing failed before this."
    case "reward":
      return `No reward or punishment comes ${where} this.`
    case "change":
      return `Nothing changes ${search.path === "" ? "the environment" : search.path} ${where} this.`
    case "predicate":
      return `The predicate does not become true ${where} this: ${search.predicate}`
  }
}
