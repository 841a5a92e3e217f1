/** The command `hindcast task watch`: follows a task, with its worlds drawn, while any process works on it. */
import { Command } from "@effect/cli"
import { Deferred, Effect, Fiber, Queue, Stream } from "effect"
import { CaughtUp, EventLog } from "../../../events/log/EventLog.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import { oneLine } from "../../../values/PlainText.ts"
import { argument, common, TASK } from "../../command/CommonOptions.ts"
import * as Ids from "../../command/Ids.ts"
import * as OpenLog from "../../command/OpenLog.ts"
import * as Output from "../../command/Output.ts"
import * as TimelineOption from "../../command/TimelineOption.ts"
import * as ViewPage from "../../pages/time/ViewPage.ts"
import * as FullScreen from "../../terminal/FullScreen.ts"
import * as Question from "../../terminal/Question.ts"
import type { Style } from "../../terminal/Style.ts"
import { json as jsonText } from "../../terminal/Text.ts"
import * as UntilEnded from "../../terminal/UntilEnded.ts"
import * as Width from "../../terminal/Width.ts"
import * as RunProgress from "../RunProgress.ts"
import * as TaskWorlds from "../TaskWorlds.ts"

export const watch = Command.make(
  "watch",
  { ...common, task: argument("task", TASK), timeline: TimelineOption.timeline },
  ({ log, json, task, timeline }) => {
    const watching = Effect.gen(function* () {
      const taskId = yield* Ids.task(task)
      yield* UntilEnded.begin
      if (json) return yield* Stream.runForEach(eventsOf(taskId), (event) => Output.writeWhole(jsonText(event)))
      return yield* Question.isPossible() ? onScreen(taskId) : asLines(taskId)
    })
    return watching.pipe(TimelineOption.provide(timeline), Effect.provide(OpenLog.forEvents(log)))
  },
).pipe(
  Command.withDescription(
    "Follow a task live until it closes, and draw its worlds; --json prints its events, one per line. For example: hindcast task watch a1b2, or hindcast task watch a1b2 --timeline fork-1",
  ),
)

/** The task's past events, `CaughtUp`, then new events until the task is closed. */
const itemsOf = (taskId: string) =>
  Stream.unwrap(
    Effect.map(EventLog, (log) =>
      log
        .follow({ taskId, timeline: log.timeline })
        .pipe(Stream.takeUntil((item) => !(item instanceof CaughtUp) && is(item, "TaskClosed"))),
    ),
  )

const eventsOf = (taskId: string) =>
  Stream.filter(itemsOf(taskId), (item): item is Event => !(item instanceof CaughtUp))

const PAST_LINES = 10

interface Watched {
  readonly progress: RunProgress.Progress
  readonly lines: ReadonlyArray<string>
  readonly closed: string | null
}

const nothing: Watched = { progress: RunProgress.none, lines: [], closed: null }

const advance = (style: Style, watched: Watched, event: Event): Watched => {
  const [progress, line] = RunProgress.advance(watched.progress, event, style)
  return {
    progress,
    lines: line === undefined ? watched.lines : [...watched.lines, line].slice(-MAX_LINES),
    closed: is(event, "TaskClosed") ? event.payload.outcome : watched.closed,
  }
}

const MAX_LINES = 200

const closing = (style: Style, taskId: string, outcome: string): string =>
  `Task ${style.name(oneLine(taskId))} is closed: ${outcome}`

const drawn = (style: Style, taskId: string, columns: number) =>
  Effect.map(TaskWorlds.now(taskId), ({ worlds }) => ViewPage.lines(style, worlds, columns))

const PIPE_COLUMNS = 120

/**
 * Prints each step as a line, with the worlds below it. Of the past, prints only the last steps and the current worlds.
 */
const asLines = (taskId: string) =>
  Effect.gen(function* () {
    const style = Output.styleOf(process.stdout)
    const columns = Math.min(PIPE_COLUMNS, Output.columnsOf(process.stdout))
    let watched = nothing
    let isLive = false
    const print = (lines: ReadonlyArray<string>) =>
      Effect.flatMap(drawn(style, taskId, columns), (worlds) =>
        Effect.forEach([...lines, ...worlds, ""], Output.write, { discard: true }),
      )
    yield* Stream.runForEach(itemsOf(taskId), (item) => {
      if (item instanceof CaughtUp) {
        isLive = true
        return print(watched.lines.slice(-PAST_LINES))
      }
      watched = advance(style, isLive ? { ...watched, lines: [] } : watched, item)
      return isLive && watched.lines.length > 0 ? print(watched.lines) : Effect.void
    })
    if (!isLive) yield* print(watched.lines.slice(-PAST_LINES))
    if (watched.closed !== null) yield* Output.write(closing(style, taskId, watched.closed))
  })

/** Redraws the worlds and the last steps after each event. A key ends the watching, not the task. */
const onScreen = (taskId: string) =>
  Effect.gen(function* () {
    const style = Output.styleOf(process.stdout)
    let watched = nothing
    const ended = yield* Effect.gen(function* () {
      const screen = yield* FullScreen.open("task watch", "Without one, it prints lines.")
      const changed = yield* Queue.sliding<void>(1)
      const done = yield* Deferred.make<"left">()
      const draw = Effect.gen(function* () {
        const size = screen.size()
        yield* screen.draw(rows(style, taskId, watched, yield* drawn(style, taskId, size.columns), size))
      })
      const following = Stream.runForEach(itemsOf(taskId), (item) => {
        if (!(item instanceof CaughtUp)) watched = advance(style, watched, item)
        return Queue.offer(changed, undefined)
      })
      const drawing = yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Queue.take(changed), draw)))
      const typing = Effect.gen(function* () {
        for (;;) {
          const key = yield* screen.next
          if (key === "resized") yield* Queue.offer(changed, undefined)
          else if (key.text === "q" || key.ctrl) yield* Deferred.succeed(done, "left")
        }
      })
      yield* Effect.forkScoped(typing)
      return yield* Effect.raceFirst(
        Effect.as(following, "closed" as const),
        Effect.raceFirst(Deferred.await(done), Fiber.join(drawing)),
      )
    }).pipe(Effect.scoped)
    const worlds = yield* drawn(style, taskId, Output.columnsOf(process.stdout))
    const last =
      ended === "closed" && watched.closed !== null ? closing(style, taskId, watched.closed) : "The task continues."
    yield* Effect.forEach([...worlds, "", last], Output.write, { discard: true })
  })

/** Exactly `rows` rows: the worlds, the last steps as far as there is room, and the keys. */
const rows = (
  style: Style,
  taskId: string,
  { lines, progress }: Watched,
  worlds: ReadonlyArray<string>,
  { columns, rows }: FullScreen.Size,
): ReadonlyArray<string> => {
  const head = `Task ${style.name(oneLine(taskId))} ${style.dim(`step ${progress.steps}`)}`
  const foot = style.dim("q quits; the task continues")
  const above = [head, "", ...worlds, ""].slice(0, Math.max(0, rows - 1))
  const room = Math.max(0, rows - above.length - 1)
  const steps = room === 0 ? [] : lines.slice(-room)
  const fill = Array<string>(room - steps.length).fill("")
  return [...above, ...steps, ...fill, foot].slice(-rows).map((line) => Width.cut(line, columns))
}
