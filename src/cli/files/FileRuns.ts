/** The options, directories and events that `files bisect` and `files compare` share for runs on recorded files. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Options } from "@effect/cli"
import { Effect, type Option } from "effect"
import { EventLog, NoStream } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import { userAsActor } from "../../platform/user/Machine.ts"
import type * as Redaction from "../../record/http/Redaction.ts"
import type * as CopiedFiles from "../../workspace/bisect/CopiedFiles.ts"
import type * as RecordedRuns from "../../workspace/bisect/RecordedRuns.ts"
import * as Scratch from "../../workspace/bisect/Scratch.ts"
import type * as Tested from "../../workspace/bisect/Tested.ts"
import { milliseconds, positive, repeatedText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"

/** A test suite that takes longer needs the option. */
const TIMEOUT_SECONDS = 600

export const timeoutMs = positive("timeout").pipe(
  Options.withDescription(`Time limit of a run in seconds. One that takes longer is bad. Default: ${TIMEOUT_SECONDS}`),
  Options.withDefault(TIMEOUT_SECONDS),
  milliseconds,
)

export const copy = repeatedText(
  "copy",
  "A path that snapshots leave out, such as node_modules, to copy from the workspace into the directory of each run",
)

/** Removed with the command, also if a signal ends it. */
export const scratchDirectory = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "hindcast-bisect-"))),
  (directory) =>
    Effect.catchAllDefect(
      Effect.sync(() => Scratch.remove(directory)),
      (cause) =>
        Output.note(`warning: ${directory} cannot be removed: ${cause instanceof Error ? cause.message : cause}`),
    ),
)

/** Names the files that the runs lack, and the places outside to which they could write. */
export const remarks = (
  json: boolean,
  { leadingOut, left }: CopiedFiles.CopiedFiles,
  missing: ReadonlyArray<string>,
  linked: ReadonlyArray<string>,
) =>
  Effect.gen(function* () {
    const listed = (all: ReadonlyArray<string>) =>
      `${all.slice(0, MAX_LISTED).join(", ")}${all.length > MAX_LISTED ? ` and ${all.length - MAX_LISTED} more` : ""}`
    if (missing.length > 0 && !json)
      yield* Output.note(`Missing from the runs (not in the snapshots): ${listed(missing)}. ${COPY}`)
    if (left.length > 0) yield* Output.note(`warning: not copied, because it cannot be read: ${listed(left)}`)
    const out = [...new Set([...leadingOut, ...linked])]
    if (out.length === 0) return
    yield* Output.note(
      `warning: these links point outside the runs' directories, so a command that writes through them changes files there: ${listed(out)}`,
    )
  })

const MAX_LISTED = 5

export const COPY = "`--copy PATH` copies PATH from the workspace."

/** A run as the log keeps it, without keys. */
export const recorded =
  (redaction: Redaction.Redaction) =>
  ({ tree, verdict, exitCode, output, ms, at, state: { look } }: Tested.Tested) => {
    const { position, timeline } = look.event
    return { tree, position, timeline, verdict, exitCode, output: redaction.text(output), ms, at }
  }

/** Records the runs as a task. If nobody may write to the log, it keeps nothing, which is no failure. */
export const record = (log: Option.Option<string>, events: ReturnType<typeof RecordedRuns.events>) =>
  Effect.gen(function* () {
    const taskId = newId()
    const stream = `task/${taskId}`
    yield* (yield* EventLog).append({ stream, taskId, actor: userAsActor(), expected: NoStream, events })
  }).pipe(
    Effect.provide(OpenLog.orCreateForEvents(log, false)),
    Effect.catchAll(({ message }) =>
      Output.note(`warning: the results were not recorded, so the next search runs the command again: ${message}`),
    ),
  )
