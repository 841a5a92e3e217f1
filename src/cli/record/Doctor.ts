/** `hindcast record doctor -- node agent.js`: finds the parts of a program that a replay would not repeat. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Data, Effect, Option, Schema } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { Asked, type Order } from "../../record/doctor/ExaminedFetch.ts"
import * as Findings from "../../record/doctor/Findings.ts"
import type * as ProcessRun from "../../record/process/ProcessRun.ts"
import { defined } from "../../values/defined.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as OwnTools from "./again/OwnTools.ts"
import * as ServedRecording from "./again/ServedRecording.ts"
import * as ClosedProgram from "./ClosedProgram.ts"
import * as DoctorPage from "./DoctorPage.ts"
import * as Program from "./Program.ts"

/** How the doctor runs a program to record it: the program's output goes to the standard error. */
export const BESIDE: Program.Running = { stdio: ["inherit", 2, "inherit"] }

/** The program did not end on its own recording. It has to end when its requests fail. */
export class NotEnded extends Data.TaggedError("NotEnded")<{ readonly run: string }> {
  override get message() {
    return `expected the program to end when it is run on its recording (${this.run}), found it at work after ${LONGEST_MS / 1000} s. A program that waits for anything other than the answers of \`fetch\` cannot be examined.`
  }
}

export interface Examination {
  readonly log: Parameters<typeof OpenLog.fileOf>[0]
  readonly taskId: string
  readonly program: readonly [string, ...Array<string>]
  readonly json: boolean
  /** Whether the task was recorded before this command, which then says how often it runs the program. */
  readonly isRecorded: boolean
  readonly allowHost: ReadonlyArray<string>
}

interface Changes {
  readonly name: string
  readonly clock?: number
  readonly tick?: number
  readonly seed?: number
  readonly order?: Order
  readonly env?: { readonly [name: string]: string }
}

/** Time limit of one run on the recording, in milliseconds. All answers come at once. */
const LONGEST_MS = 60_000

const AT_ONCE = 3

const SEED = 20_260_101
/** Another date, weekday and hour. */
const LATER_MS = 366 * 86_400_000 + 7 * 3_600_000 + 11 * 60_000
/**
 * Milliseconds that each look at the clock adds in the run at another time. Durations that the program measures then
 * differ even in seconds.
 */
const SLOW_MS = 1_013
const ELSEWHERE = { TZ: "Pacific/Kiritimati", LANG: "fr_FR.UTF-8", LC_ALL: "fr_FR.UTF-8" }

/**
 * Runs the program on a task's recording several times, each time with one condition changed, and shows its
 * dependencies. Exit code 2 if there are any, or if the program made no visible request.
 */
export const examine = ({ log, taskId: typed, isRecorded, program, json, allowHost }: Examination) =>
  Effect.gen(function* () {
    const taskId = yield* Ids.task(typed)
    const { name } = yield* EventLog
    const events = yield* eventsOf(taskId)
    const file = yield* ServedRecording.fileOf(taskId)
    const ownTools = OwnTools.among(events)
    if (isRecorded) yield* OwnTools.noteRuns(Option.some(taskId))
    yield* OwnTools.note(ownTools, { isNode: true })
    const clock = events[0]?.occurredAt ?? events[0]?.recordedAt ?? 0
    const {
      closed,
      confined,
      assertNotBlocked,
      report: reportAttempts,
      tried,
    } = yield* ClosedProgram.closing(allowHost, { isReachable: false })
    const run = (changes: Changes) =>
      runOnRecording({ program, log: name, closed, confined, taskId, clock, ...defined({ events: file }), ...changes })
    const { base, again, ...changed } = yield* Effect.all(
      {
        base: run({ name: "as it was" }),
        again: run({ name: "the same again" }),
        time: run({ name: "another time", clock: clock + LATER_MS, tick: SLOW_MS }),
        randomness: run({ name: "other random numbers", seed: SEED + 1 }),
        order: run({ name: "another order of answers", order: "reversed" }),
        environment: run({ name: "another time zone and language", env: ELSEWHERE }),
      },
      { concurrency: AT_ONCE },
    )
    yield* assertNotBlocked
    const findings = Findings.of({ base, again, changed }, events, placesOf())
    const requests = base.asked.length
    const attempts = yield* tried
    const isSeen = requests + findings.length + attempts.length > 0
    const isSame = findings.length + attempts.length === 0
    const report = { taskId, requests, reproducible: isSeen ? isSame : null, findings, attempts, ownTools }
    yield* Output.show(json, report, (style) => DoctorPage.lines(style, report))
    if (report.reproducible !== true) process.exitCode = NOT_REPRODUCIBLE
    yield* reportAttempts
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forEvents(log)))

const NOT_REPRODUCIBLE = 2

const eventsOf = (taskId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const events: Array<Event> = []
    yield* Pages.forEach(log.readPage, { timeline: log.timeline, taskId }, (page) => void events.push(...page))
    return events
  })

/** Texts that identify this machine and the place on it. */
const placesOf = (): Readonly<Record<string, string>> => ({
  "the working directory": process.cwd(),
  "the home directory": os.homedir(),
  "the directory for temporary files": os.tmpdir(),
  "the machine's name": os.hostname(),
})

const runOnRecording = ({
  program,
  name,
  env = {},
  tick = 1,
  seed = SEED,
  order = "recorded",
  confined,
  ...recording
}: Changes & {
  readonly program: Examination["program"]
  readonly log: string
  readonly closed: ProcessRun.Closed
  readonly confined: Program.Start
  readonly taskId: string
  readonly clock: number
  readonly events?: string
}) =>
  Effect.scoped(
    Effect.gen(function* () {
      const told = path.join(yield* Program.temporaryDirectory, "told.jsonl")
      yield* Program.run(
        program,
        { does: "examine", ...recording, tick, seed, order, told },
        { stdio: "ignore", env },
        confined,
      ).pipe(Effect.timeoutFail({ duration: LONGEST_MS, onTimeout: () => new NotEnded({ run: name }) }))
      if (!fs.existsSync(told)) {
        return yield* new Program.NotStarted({
          command: program.join(" "),
          reason: "one that does not start on its recording",
        })
      }
      const lines = fs.readFileSync(told, "utf8").split("\n")
      return { asked: lines.filter((line) => line !== "").map((line) => asAsked(line)) }
    }),
  )

const asAsked = Schema.decodeUnknownSync(Schema.parseJson(Asked))
