/**
 * Part 2 of the tour: a program without an agent reads a real directory, and writes one file after its confirmation.
 */
import { Effect, Fiber, Option, Schema, Stream } from "effect"
import { EventLog, Kernel, type Task, Vocabulary } from "hindcast"
import { inPackage } from "../../PackageFiles.ts"
import type { Pages, Stage } from "../Stage.ts"
import { at, count, endOf } from "../Words.ts"

const NOTE = {
  path: ".hindcast/demo-note.txt",
  content: "Confirmed, then written.\n",
}

type CommandOutcome = Effect.Effect.Success<ReturnType<Task["act"]>>

type Reading = Effect.Effect.Success<ReturnType<Task["perceive"]>>[number]

export interface VisitOptions {
  readonly filename: string
  readonly workspace: string
  /** Ask at the terminal. Otherwise the demo answers from another process. */
  readonly askPerson: boolean
}

export const visit = (stage: Stage, options: VisitOptions) =>
  Effect.gen(function* () {
    yield* stage.part(
      "2  A look at real files, and one confirmed write",
      "The workspace plugin sees a real directory. Writing there is declared as a high risk: the gate holds",
      "the command until it is confirmed. Without an answer nothing would be written.",
    )
    const kernel = yield* Kernel.Kernel
    yield* kernel.plugins.import(inPackage("plugins", "workspace"))
    const task = yield* kernel.tasks.open({
      goal: "Look at the directory and leave a note",
      agent: "visitor@1.0.0",
      plugins: ["workspace"],
    })
    const summary = summarize(yield* task.perceive())
    yield* stage.show([`${stage.style.name("visitor")} sees ${options.workspace}: ${inWords(summary)}`])

    const { position } = yield* (yield* EventLog.EventLog).head
    const command = yield* Effect.fork(task.act("workspace/write_file", NOTE))
    const outcome = yield* options.askPerson
      ? Effect.raceFirst(
          Fiber.join(command),
          stage.user.ask(position, options.filename).pipe(Effect.zipRight(Effect.never)),
        )
      : approveElsewhere(stage, command, position, options.filename)
    yield* stage.show([`${NOTE.path}: ${describe(stage.pages, outcome)}`])
    yield* task.close(outcome.status === "succeeded" ? "achieved" : "failed")
    return {
      audit: yield* kernel.audit(task.id),
      workspace: { directory: options.workspace, ...summary },
      confirmations: yield* confirmationsOf(task.id),
      write: { path: NOTE.path, status: outcome.status },
    }
  })

/** Approves from another process, as a person at another terminal would. */
const approveElsewhere = <E>(
  { style, show, say, pages, user }: Stage,
  command: Fiber.Fiber<CommandOutcome, E>,
  after: number,
  filename: string,
) =>
  Effect.gen(function* () {
    const request = yield* Effect.raceFirst(
      Effect.asSome(nextRequest(after)),
      Effect.as(Fiber.await(command), Option.none()),
    )
    if (Option.isSome(request)) {
      const { confirmationId, shown } = request.value
      // Show everything: a person cannot decide about hidden parts.
      yield* say(`The gate asks: may ${style.name("visitor")} do this?`, ...pages.question(shown))
      const args = [
        "confirm",
        "approve",
        endOf(confirmationId),
        "--yes",
        "--reason",
        "demo",
        "--log",
        user.path(filename),
      ]
      yield* say("Answered by another process:", `  $ ${user.command(args)}`)
      // The command prints what it approves; its last line reports the approval.
      yield* show([`  ${(yield* user.run(args)).split("\n").at(-1) ?? ""}`])
    }
    return yield* Fiber.join(command)
  })

const nextRequest = (after: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const found = yield* log.follow({ after, types: ["ConfirmationRequested"] }).pipe(
      Stream.filterMap((item) =>
        !(item instanceof EventLog.CaughtUp) && Vocabulary.is(item, "ConfirmationRequested")
          ? Option.some(item.payload)
          : Option.none(),
      ),
      Stream.runHead,
    )
    // `follow` never ends, so `runHead` always has a value.
    return yield* Effect.orDie(found)
  })

const confirmationsOf = (taskId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const events = yield* log.readPage({ taskId, types: ["ConfirmationRequested", "ConfirmationDecided"] }, 100)
    return events.map(({ type, position, actor, payload }) => ({ type, position, actor, payload }))
  })

const FilesReading = Schema.Struct({
  files: Schema.Array(Schema.Struct({ path: Schema.String, size: Schema.Number })),
  truncated: Schema.Boolean,
})

const GitReading = Schema.Struct({
  branch: Schema.NullOr(Schema.String),
  entries: Schema.Array(Schema.Unknown),
})

/** A summary of a directory, with null where the sensor gave no reading. */
interface DirectorySummary {
  readonly files: number | null
  readonly bytes: number | null
  /** The sensor counted only some of the files. */
  readonly truncated: boolean
  readonly branch: string | null
  /** Entries that Git reports as changed or untracked. */
  readonly changed: number | null
}

const summarize = (readings: ReadonlyArray<Reading>): DirectorySummary => {
  const reading = (sensor: string) => readings.find((reading) => reading.sensor === sensor)?.reading
  const files = Option.getOrUndefined(Schema.decodeUnknownOption(FilesReading)(reading("workspace/files")))
  const git = Option.getOrUndefined(Schema.decodeUnknownOption(GitReading)(reading("workspace/git")))
  return {
    files: files?.files.length ?? null,
    bytes: files?.files.reduce((sum, { size }) => sum + size, 0) ?? null,
    truncated: files?.truncated ?? false,
    branch: git?.branch ?? null,
    changed: git?.entries.length ?? null,
  }
}

const inWords = ({ files, bytes, truncated, branch, changed }: DirectorySummary): string =>
  [
    files === null ? "no files" : `${truncated ? "more than " : ""}${count(files, "file")}, ${megabytes(bytes ?? 0)}`,
    changed === null
      ? "no git repository"
      : `${branch === null ? "no branch" : `branch ${branch}`}, ${changed} changed`,
  ].join("; ")

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

const REASON_LENGTH = 80

const describe = ({ shorten }: Pages, outcome: CommandOutcome): string => {
  switch (outcome.status) {
    case "succeeded":
      return `written ${at(outcome.event.position)}`
    case "failed":
      return `failed, ${shorten(outcome.error.message, REASON_LENGTH)}`
    case "denied":
    case "expired":
      return `not written, ${shorten(outcome.reason, REASON_LENGTH)}`
    case "unknown":
      return shorten(outcome.reason, REASON_LENGTH)
  }
}
