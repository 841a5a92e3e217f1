/** The tour of `hindcast demo --world`: play, confirm, audit, look back, score again, verify. */
import * as fs from "node:fs"
import { Effect } from "effect"
import { EventLog, Gate, Hindcast } from "hindcast"
import type { Stage } from "../Stage.ts"
import { at, count, endOf, isOnServer, showSteps, suggestions } from "../Words.ts"
import * as Audits from "./Audits.ts"
import * as Games from "./Games.ts"
import * as IntactLog from "./IntactLog.ts"
import * as Rescoring from "./Rescoring.ts"
import * as StoryMoments from "./StoryMoments.ts"
import * as WorkspaceVisit from "./WorkspaceVisit.ts"

export interface TourOptions extends WorkspaceVisit.VisitOptions {
  readonly seed: number
  readonly sandbox: "auto" | "namespaces" | "flags"
}

/** Gives the tour, part by part. Returns its findings as a document. */
export const give = (stage: Stage, options: TourOptions) =>
  Effect.gen(function* () {
    const { filename, seed } = options
    const liveResults = yield* runLiveParts(stage, options)
    const { win, ...found } = yield* runReadParts(stage, options, liveResults)
    const { continued, recovered, expert, wanderer, visit } = liveResults
    const next = stepsOn(stage, filename, win, wanderer.taskId)
    yield* showSteps(stage, next)
    const { audit, ...visited } = visit
    return { log: filename, seed, continued, recovered, audits: [expert, wanderer, audit], ...visited, ...found, next }
  })

const stepsOn = ({ user }: Stage, filename: string, win: StoryMoments.Win, wandererId: string) =>
  suggestions(user, filename, [
    ["list the tasks of this log", "task", "ls"],
    ["the wanderer's audit, with the events that each punishment is for", "audit", endOf(wandererId)],
    ["all that the wanderer tried", "log", "ls", "--task", endOf(wandererId), "--type", "ActuatorCommanded"],
    ["all events of the winning command", "log", "ls", "--after", at(win.before), "--until", at(win.after)],
    ["why the world changed last", "why", at(win.after)],
    ["what the winning command changed", "diff", at(win.before), at(win.after)],
    ["the tasks as they stood just before it", "state", "--at", at(win.before), "--projection", "Tasks"],
    ["score every task again by a rubric; edit a copy of it", "rescore", "--rubric", user.path(Rescoring.RUBRIC)],
    ["look at all of it in the browser", "studio"],
  ])

type LiveResults = Effect.Effect.Success<ReturnType<typeof runLiveParts>>

/** The parts with running plugins and agents. */
const runLiveParts = (stage: Stage, paths: TourOptions) =>
  Effect.gen(function* () {
    const { filename, workspace, seed, sandbox } = paths
    const before = yield* headOf(filename)
    const kernel = Hindcast.layer({
      log: filename,
      workspace,
      actor: stage.user.actor,
      owner: stage.user.owner,
      gate: Gate.standard,
      seed,
      host: { sandbox },
    })
    return yield* Effect.gen(function* () {
      const recovered = yield* recoveredSince(before)
      yield* printStart(stage, paths, before, recovered)
      const { expert, wanderer } = yield* Games.play(stage)
      const visit = yield* WorkspaceVisit.visit(stage, paths)
      return { continued: before > 0, recovered, expert, wanderer, visit }
    }).pipe(Effect.provide(kernel))
  })

/** The last position of a log that may not exist. */
const headOf = (filename: string) => {
  const head = Effect.flatMap(EventLog.EventLog, (log) => Effect.map(log.head, ({ position }) => position))
  if (isOnServer(filename))
    return Effect.provide(head, EventLog.layerPostgres({ url: filename, readonly: true })).pipe(
      Effect.catchIf(
        (error) => error._tag === "LogUnavailable" && error.missing === true,
        () => Effect.succeed(0),
      ),
    )
  return fs.existsSync(filename)
    ? Effect.provide(head, EventLog.layerSqlite({ filename, readonly: true }))
    : Effect.succeed(0)
}

/** Events that recovery recorded for tasks of a killed kernel. */
const recoveredSince = (before: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const [started] = yield* log.readPage({ after: before, types: ["KernelStarted"] }, 1)
    return started === undefined ? 0 : started.position - before - 1
  })

const printStart = ({ say, style, user }: Stage, { filename, seed }: TourOptions, before: number, recovered: number) =>
  Effect.gen(function* () {
    yield* say(`${style.bold("Hindcast's demo")}, seed ${seed}. Its log: ${user.path(filename)}`)
    if (before === 0) return
    const left = recovered === 0 ? "nothing was left unfinished" : `recovery recorded ${count(recovered, "event")}`
    yield* say(`The log continues after ${at(before)}: its ${count(before, "event")} stay; ${left}.`)
  })

const runReadParts = (stage: Stage, { filename, workspace }: TourOptions, { expert, wanderer, visit }: LiveResults) =>
  Effect.gen(function* () {
    yield* Audits.compare(stage, [expert, wanderer, visit.audit])
    const win = yield* StoryMoments.findWin(expert)
    const moments = yield* StoryMoments.compare(stage, expert, win)
    const blame = yield* StoryMoments.blame(stage, win)
    const why = yield* StoryMoments.why(stage, win)
    const rescore = yield* Rescoring.rescore(stage, [expert.taskId, wanderer.taskId])
    return { win, moments, blame, why, rescore, verify: yield* IntactLog.verify(stage, ...INTACT) }
  }).pipe(Effect.provide(Hindcast.layerLog({ log: filename, workspace, actor: stage.user.actor })))

const INTACT = [
  "8  Is the log intact?",
  "Every event carries the hash of the one before it: a later change or removal is detected.",
] as const
