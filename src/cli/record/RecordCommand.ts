/** The command `hindcast record`: records the requests of an unchanged program. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import * as Secrets from "../../agents/models/secrets/Secrets.ts"
import { EventLog, MAIN } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { CoreName } from "../../events/vocabulary/Vocabulary.ts"
import * as Unseen from "../../record/network/Unseen.ts"
import { defined } from "../../values/defined.ts"
import * as Root from "../../workspace/Root.ts"
import { BadInput } from "../command/BadInput.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { common, given, oneOf, optionalText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as WhatIsRecorded from "../pages/files/WhatIsRecorded.ts"
import { count } from "../terminal/Text.ts"
import * as OwnTools from "./again/OwnTools.ts"
import * as ClosedProgram from "./ClosedProgram.ts"
import * as Doctor from "./Doctor.ts"
import type * as LastLook from "./LastLook.ts"
import * as Program from "./Program.ts"
import * as ProgramName from "./ProgramName.ts"
import * as ProgramTask from "./ProgramTask.ts"
import * as ProxiedProgram from "./ProxiedProgram.ts"

export const record = Command.make(
  "record",
  {
    log: common.log,
    goal: optionalText("goal", "The goal of the run. Default: its command"),
    agent: optionalText("agent", "The program's name. Default: its file's name"),
    subject: optionalText(
      "subject",
      "The person whose data the run contains: Hindcast encrypts it with this person's key; `log shred` destroys the key",
    ),
    onLogFailure: oneOf("on-log-failure", ["go-on", "stop"]).pipe(
      Options.withDescription("Whether the program continues if the log fails. Default: go-on"),
      Options.withDefault("go-on" as const),
    ),
    task: optionalText("task", "With doctor: a recorded task of the program. Default: record one first"),
    continues: optionalText(
      "continue",
      "The id of a task that several processes record one after another: continue it, or begin it. Default: a new task",
    ),
    keepOpen: Options.boolean("keep-open").pipe(
      Options.withDescription("Leave the task open when the program ends, for another process to continue it"),
    ),
    proxy: Options.boolean("proxy").pipe(
      Options.withDescription(
        "Record a program in any language: environment variables send its model calls to a proxy on the loopback",
      ),
    ),
    intercept: Options.boolean("intercept").pipe(
      Options.withDescription(
        "Record a program's requests to all servers, by an HTTP proxy with certificates that only the program trusts",
      ),
    ),
    workspace: optionalText("workspace", "Record the files of this directory, or of the repository around it"),
    json: common.json,
    allowHost: ClosedProgram.allowHost,
    words: Program.words,
  },
  ({ log, task, json, allowHost, proxy, intercept, words: [first, ...others], ...kept }) =>
    Effect.gen(function* () {
      const { goal, agent, subject, onLogFailure, continues, keepOpen, workspace } = kept
      const isDoctor = first === "doctor"
      const words = isDoctor || first === undefined ? others : [first, ...others]
      // Without a program, no option matters.
      const program = yield* proxy || intercept ? ProxiedProgram.checked(words) : Program.checked(words)
      if (!isDoctor && (json || Option.isSome(task) || allowHost.length > 0)) {
        const input = json ? "--json" : Option.isSome(task) ? "--task" : "--allow-host"
        return yield* new BadInput({ input, expected: "record doctor", found: "record, whose output is the program's" })
      }
      if (isDoctor && (proxy || intercept)) {
        const found = "record doctor, which examines programs of Node"
        return yield* new BadInput({ input: proxy ? "--proxy" : "--intercept", expected: "record", found })
      }
      if (proxy && intercept) {
        return yield* new BadInput({ input: "--intercept", expected: "it or --proxy", found: "both" })
      }
      if (isDoctor && (keepOpen || Option.isSome(continues))) {
        const input = keepOpen ? "--keep-open" : "--continue"
        return yield* new BadInput({
          input,
          expected: "record",
          found: "record doctor, which records a task of its own",
        })
      }
      if (isDoctor && Option.isSome(workspace)) {
        const found = "record doctor, which does not look at files"
        return yield* new BadInput({ input: "--workspace", expected: "record", found })
      }
      const how = intercept ? "intercept" : proxy ? "proxy" : undefined
      if (how !== undefined) return yield* recordProxied(program, { how, log, ...kept })
      const place = yield* OpenLog.placeOf(log)
      const root = yield* rootOf(workspace, place)
      if (isDoctor && Option.isNone(task)) yield* OwnTools.noteRuns(task)
      if (Option.isSome(task))
        return yield* Doctor.examine({ log, taskId: task.value, isRecorded: true, program, json, allowHost })
      const taskId = Option.getOrElse(continues, newId)
      const told = (report: string) => ({
        does: "record" as const,
        log: place.open,
        taskId,
        onLogFailure,
        report,
        preload: Program.PRELOAD,
        goal: Option.getOrElse(goal, () => Secrets.withoutKeys(program).join(" ")),
        agent: Option.getOrElse(agent, () => ProgramName.of(program)),
        ...given({ subject }),
        ...(keepOpen ? { keepOpen } : {}),
        ...defined({ workspace: root }),
      })
      const ran = yield* Program.runReporting(program, told, isDoctor ? Doctor.BESIDE : {})
      process.exitCode = Program.exitCodeOf(ran.ended)
      // A task that could not be continued stays unchanged.
      if (ran.report === undefined && Option.isSome(continues)) return
      const directory = root === undefined ? undefined : { root, log: place.open }
      yield* report(taskId, program, ran, { recorder: "program", keepOpen, directory }).pipe(
        Effect.provide(OpenLog.forWriting(log)),
        // The program has reported that the log could not be created.
        Effect.catchTag("LogMissing", () => Effect.void),
      )
      if (isDoctor) yield* Doctor.examine({ log, taskId, isRecorded: false, program, json, allowHost })
    }),
).pipe(
  Command.withDescription(
    "Run a program and record its requests: model calls as turns, all others as they are. By default, it is a Node program that uses `fetch`, `node:http`, `node:https` or undici; it reports other connections, but does not record them. With `--proxy`, the program may be in any language: environment variables send its model calls to a proxy. With `--intercept`, Hindcast records its requests to all servers. `record doctor -- node FILE` runs it on the recording several times, and reports everything that a replay would not repeat: time, randomness, the order of concurrent calls, the environment. It does not see files and other processes",
  ),
)

const recordProxied = (
  program: Program.Command,
  {
    log,
    goal,
    agent,
    subject,
    onLogFailure,
    continues,
    keepOpen,
    workspace,
    how,
  }: { readonly [Name in "goal" | "agent" | "subject" | "continues" | "workspace"]: Option.Option<string> } & {
    readonly log: Parameters<typeof OpenLog.fileOf>[0]
    readonly onLogFailure: "go-on" | "stop"
    readonly keepOpen: boolean
    readonly how: "proxy" | "intercept"
  },
) =>
  Effect.gen(function* () {
    const taskId = Option.getOrElse(continues, newId)
    const place = yield* OpenLog.placeOf(log)
    const root = yield* rootOf(workspace, place)
    const options = {
      id: taskId,
      log: place.open,
      onLogFailure,
      continue: Option.isSome(continues),
      goal: Option.getOrElse(goal, () => Secrets.withoutKeys(program).join(" ")),
      agent: Option.getOrElse(agent, () => ProgramName.of(program)),
      ...given({ subject }),
    }
    const ran = yield* ProxiedProgram.record(program, options, how, {}, { keepOpen, workspace: root })
    process.exitCode = Program.exitCodeOf(ran.ended)
    yield* Effect.provide(report(taskId, program, ran, { recorder: "proxy", keepOpen }), OpenLog.forWriting(log))
  })

/** The directory whose files to record. Explains the choice. */
const rootOf = (workspace: Option.Option<string>, place: OpenLog.LogPlace) =>
  Effect.gen(function* () {
    if (Option.isNone(workspace)) return undefined
    yield* OpenLog.keepingFiles(place, "--workspace")
    const found = Root.around(workspace.value)
    if ("refused" in found) {
      const input = `--workspace ${workspace.value}`
      return yield* new BadInput({ input, expected: "a project's directory", found: found.refused })
    }
    yield* Output.note(WhatIsRecorded.sentence(`The files of ${found.root}`, place.name))
    return found.root
  })

interface Reported {
  readonly recorder: "program" | "proxy"
  readonly keepOpen: boolean
  /** The recorded directory, if the program itself looked at it. */
  readonly directory?: LastLook.Directory | undefined
}

const report = (
  taskId: string,
  words: ReadonlyArray<string>,
  ran: Program.Ran,
  { recorder, keepOpen, directory }: Reported,
) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    if (
      !(yield* keepOpen ? ProgramTask.leave(taskId, ran, directory) : ProgramTask.close(taskId, ran, MAIN, directory))
    )
      return
    const served = ran.report?.tasks ?? []
    // Only the process's own task notes the unrecorded connections.
    for (const one of served) yield* ProgramTask.close(one, { ...ran, unseen: [] })
    const counts = new Map<string, number>()
    for (const one of [taskId, ...served]) {
      yield* Pages.forEach(log.readPage, { timeline: log.timeline, taskId: one, types: COUNTED }, (page) => {
        for (const { type } of page) counts.set(type, (counts.get(type) ?? 0) + 1)
      })
    }
    const { unseen = [] } = ran
    if (unseen.length > 0) {
      yield* Output.note(["Seen, but not recorded:", ...unseen.map((item) => `  ${Unseen.described(item)}`)].join("\n"))
    }
    const [models, io] = [counts.get("ModelCalled") ?? 0, counts.get("IoCalled") ?? 0]
    const { code, signal } = ran.ended
    const ending = code === null ? `ended by ${signal}` : `exited with ${code}`
    // Of a program that marks its functions.
    const calls = (counts.get("ActuatorCommanded") ?? 0) + (counts.get("SensorRead") ?? 0)
    if (models + io + calls === 0) {
      if (process.exitCode === 0) process.exitCode = NOTHING_RECORDED
      const byProxy = CommandHints.written("record", "--proxy", "--", ...words)
      const why = code === 0 ? "the program made" : `the program ${ending} and made`
      // A failed program may not have reached its requests, so another way to record would not help.
      const hint =
        recorder === "proxy" || code !== 0
          ? ""
          : ` \`${byProxy}\` records the model calls of other clients and processes.`
      return yield* Output.note(
        CommandHints.inText(
          `Nothing was recorded: ${why} no request that ${recorder === "proxy" ? "reached the proxy" : "Hindcast sees in Node, by fetch, node:http, node:https or undici"}. Task ${taskId} contains nothing to replay.${hint}`,
        ),
      )
    }
    const parts = 1 + (counts.get("RecorderJoined") ?? 0)
    const part = parts === 1 ? [] : ["--part", String(parts)]
    const open = keepOpen
      ? ` It stays open: \`${CommandHints.written("record", "--continue", taskId, "--", ...words)}\` continues it.`
      : ""
    const what =
      models + io === 0 ? count(calls, "call") : `${count(models, "model request")} and ${count(io, "other request")}`
    const failure = code === 0 ? "" : ` The program ${ending}.`
    yield* Output.note(
      CommandHints.inText(
        `Recorded ${what} as task ${taskId}${served.length === 0 ? "" : `, and ${count(served.length, "other conversation")} that it served as ${served.length === 1 ? "a task of its own" : "tasks of their own"}: ${served.slice(0, 3).join(", ")}${served.length > 3 ? " …" : ""}`}.${failure} \`${CommandHints.written("replay", taskId, ...part, "--", ...words)}\` replays ${parts === 1 ? "it" : "what this process did"}.${open}`,
      ),
    )
  })

const NOTHING_RECORDED = 2

/** Does not read responses, whose bodies may be large. */
const COUNTED: ReadonlyArray<CoreName> = [
  "ModelCalled",
  "IoCalled",
  "ActuatorCommanded",
  "SensorRead",
  "RecorderJoined",
]
