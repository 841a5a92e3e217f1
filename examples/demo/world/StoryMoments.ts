/**
 * Parts 4 to 6 of the tour: the state around the winning command, the event that last changed it, and the command's
 * causes.
 */
import { Data, Effect, Schema } from "effect"
import { EventLog, type Json, type TaskAudit, TimeTravel, Vocabulary } from "hindcast"
import type { Stage } from "../Stage.ts"
import { at, nameOf } from "../Words.ts"

/** The expert did not win, so the following parts have no winning command to show. Use another log. */
export class NotWon extends Data.TaggedError("NotWon")<{ readonly log: string; readonly audit: TaskAudit.TaskAudit }> {
  override get message() {
    const { outcome, reason, agent } = this.audit
    return (
      `${this.log}: expected ${agent} to win The Lost Key, found its task ${outcome}${reason === undefined ? "" : ` (${reason})`}. ` +
      "Perhaps a part of text-room is not active in this log (`hindcast plugin list`); name another with --log."
    )
  }
}

export interface Win {
  readonly taskId: string
  /** The last position before the command. */
  readonly before: number
  readonly succeeded: number
  /** The position of the resulting `EnvironmentChanged`. */
  readonly after: number
}

/** Finds the winning command: the cause of the change that sets `/won` to true. */
export const findWin = (audit: TaskAudit.TaskAudit) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const { taskId } = audit
    const changes = yield* log.readPage({ taskId, types: ["EnvironmentChanged"] }, 1000)
    const won = changes.find(
      (event) =>
        Vocabulary.is(event, "EnvironmentChanged") &&
        event.payload.patch.some(
          (operation) => operation.path === "/won" && operation.op !== "remove" && operation.value === true,
        ),
    )
    const chain = won === undefined ? [] : yield* (yield* TimeTravel.TimeTravel).why(won.position)
    const succeeded = chain.find(({ type }) => type === "CommandSucceeded")
    const commanded = chain.find(({ type }) => type === "ActuatorCommanded")
    if (won === undefined || succeeded === undefined || commanded === undefined) {
      return yield* new NotWon({ log: log.name, audit })
    }
    return { taskId, before: commanded.position - 1, succeeded: succeeded.position, after: won.position } satisfies Win
  })

/** Prints the text room's state before and after the winning command, and the differences. */
export const compare = (stage: Stage, audit: TaskAudit.TaskAudit, { taskId, before, after }: Win) =>
  Effect.gen(function* () {
    const { part, say, show, pages } = stage
    yield* part(
      "4  The state at two moments, and their diff",
      `The world of ${nameOf(stage, audit)} just before and just after its winning command. A state is folded`,
      "from the events up to a position, so that any moment can be looked at.",
    )
    const travel = yield* TimeTravel.TimeTravel
    const path = `/tasks/${taskId}/environment/text-room`
    const [then, now] = [yield* travel.stateAt(before, path), yield* travel.stateAt(after, path)]
    yield* show(worldLines(stage, [before, then], [after, now]))

    const whole = yield* travel.stateAt(before)
    const changes = pages.withBefore(whole, yield* travel.diff(before, after))
    yield* say("", "What differs, each with the event that caused it; all of it below", `${path}:`)
    const shortened = changes.map((change) =>
      change.path.startsWith(`${path}/`) ? { ...change, path: change.path.slice(path.length) } : change,
    )
    yield* show(pages.changes(shortened).map((line) => `  ${line}`))
    return { before: { at: before, state: then }, after: { at: after, state: now }, path, changes }
  })

/** The part of a text room's state that the tour prints. */
const World = Schema.Struct({
  room: Schema.String,
  inventory: Schema.Array(Schema.String),
  containers: Schema.Struct({ desk: Schema.Struct({ open: Schema.Boolean, locked: Schema.Boolean }) }),
  steps: Schema.Number,
  refusals: Schema.Number,
  won: Schema.Boolean,
})

const worldLines = ({ style, pages }: Stage, ...moments: ReadonlyArray<readonly [position: number, world: Json]>) => {
  const worlds = moments.map(([, world]) => Schema.decodeUnknownSync(World)(world))
  const row = (name: string, cell: (world: typeof World.Type) => Json) => {
    const cells = worlds.map((world) => pages.value(cell(world)))
    return [style.dim(name), ...cells.map((text) => (new Set(cells).size > 1 ? style.bold(text) : text))]
  }
  return pages.table(
    [{ heading: "" }, ...moments.map(([position]) => ({ heading: at(position) }))],
    [
      row("room", ({ room }) => room),
      row("inventory", ({ inventory }) => inventory),
      row("desk", ({ containers }) => containers.desk),
      row("steps", ({ steps }) => steps),
      row("refusals", ({ refusals }) => refusals),
      row("won", ({ won }) => won),
    ],
  )
}

export const blame = ({ part, say, show, pages }: Stage, { taskId }: Win) =>
  Effect.gen(function* () {
    yield* part(
      "5  Who last wrote the inventory",
      "Every value of the state leads back to the one event that wrote it.",
    )
    const path = `/tasks/${taskId}/environment/text-room/inventory`
    const { value: inventory, event, ...blamed } = yield* (yield* TimeTravel.TimeTravel).blame(path)
    yield* say(path)
    yield* show([`is ${pages.value(inventory ?? null)}, by`, ...pages.events(event === null ? [] : [event])])
    return { ...blamed, exists: inventory !== undefined, value: inventory ?? null, event }
  })

export const why = ({ part, show, pages }: Stage, { succeeded }: Win) =>
  Effect.gen(function* () {
    yield* part(
      "6  Why the winning command happened",
      "Each event names its cause: from the outcome back over the gate to the decision, to what it was",
      "based on, and to the task itself.",
    )
    const chain = yield* (yield* TimeTravel.TimeTravel).why(succeeded)
    yield* show(pages.chain(chain))
    return { chain }
  })
