/** The command `hindcast rescore`: scores recorded tasks again by another rubric, or resumes such a scoring. */
import { Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Rubric from "../../kernel/rules/Rubric.ts"
import * as NeverHeld from "../../kernel/scoring/NeverHeld.ts"
import {
  layer,
  layerWithCritics,
  type RescorePlan,
  type ScoreSetSummary,
  Scoring,
} from "../../kernel/scoring/Scoring.ts"
import * as TaskAudit from "../../projections/audit/TaskAudit.ts"
import * as SetScores from "../../projections/comparison/SetScores.ts"
import * as SetSummary from "../../projections/comparison/SetSummary.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import { LIVE } from "../../projections/report/CountingScore.ts"
import * as ScoreSets from "../../projections/state/ScoreSets.ts"
import { oneLine } from "../../values/PlainText.ts"
import { BadInput } from "../command/BadInput.ts"
import { common, flag, given, isGiven, type OptionValue, optionalText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import * as TrustLog from "../command/TrustLog.ts"
import * as ExportSummary from "../export/ExportSummary.ts"
import * as RescoringPage from "../pages/scores/RescoringPage.ts"
import * as ScoreChange from "../pages/scores/ScoreChange.ts"
import * as PartOption from "../parts/PartOption.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import { count } from "../terminal/Text.ts"
import * as V8Tuning from "../terminal/V8Tuning.ts"
import * as CriticOptions from "./CriticOptions.ts"
import * as RescoreParts from "./RescoreParts.ts"
import * as TaskSelection from "./TaskSelection.ts"

const options = {
  rubric: optionalText("rubric", "A rubric: a YAML or JSON file of measures"),
  ...TaskSelection.options,
  label: optionalText("label", "The new score set's label. Default: the rubric's name"),
  ...CriticOptions.options,
  resume: optionalText("resume", "Finish this interrupted score set, with its own rubric and tasks"),
  trustLog: TrustLog.option,
  parts: PartOption.parts,
  begin: flag("begin", "Begin a score set whose parts several machines judge: --resume SET --part I/N on each of them"),
  part: PartOption.part,
  merge: PartOption.merge,
  output: optionalText("output", "With --part: the file to write; - is the standard output"),
  force: flag("force", "With --part: replace the file if it exists"),
  dryRun: flag("dry-run", "Show the scoring's plan, without scoring or recording"),
}

const timeline = optionalText(
  "timeline",
  "The timeline whose tasks to score; it also gets the score set. Default: main",
)

/** Maximum number of tasks whose changes are listed. More tasks show only totals. */
const MAX_CHANGES = 20

export const rescore = Command.make(
  "rescore",
  { ...common, ...options, timeline },
  ({ log, json, resume, timeline, trustLog, parts, part, merge, output, force, ...typed }) => {
    const place = { log, timeline, json }
    const inParts = { parts, part, merge, output, force }
    // Reading is enough for a part, and its process may have no other rights.
    const asPart = (typedPart: string) =>
      writePart(resume, { ...inParts, part: typedPart }, typed, json).pipe(
        Effect.provide(layer),
        TimelineOption.provide(timeline),
        Effect.provide(OpenLog.forEvents(log)),
      )
    const whole = Effect.gen(function* () {
      // Rules can judge any log. Plugins that judge refuse to start from a foreign one, and say so.
      if (trustLog) yield* TrustLog.settled({ trustLog, json })
      yield* V8Tuning.forScoring
      if (Option.isSome(resume)) return yield* finish(resume.value, typed, { ...place, parts, merge })
      if (merge.length > 0) return yield* needsSet("--merge")
      if (Option.isNone(typed.rubric)) {
        return yield* new BadInput({
          input: "--rubric",
          expected: "a file of measures to score by",
          found: "none",
          advice: "--resume SET finishes a score set that was interrupted, by its own rubric.",
        })
      }
      const rescoring = {
        rubric: yield* Rubric.load(typed.rubric.value),
        ...(yield* TaskSelection.selected({ ...typed, task: typed.task.flatMap((ids) => ids.split(",")) })),
        ...given({ label: typed.label }),
        critics: yield* CriticOptions.requested(typed),
      }
      const scoring = yield* Scoring
      if (typed.begin) return yield* begin(yield* scoring.begin(rescoring), json)
      if (typed.dryRun) return yield* showPlan(yield* scoring.plan(rescoring), rescoring.rubric, json)
      const summary = Option.isSome(parts)
        ? yield* finishInParts(yield* scoring.begin(rescoring), parts.value, place)
        : yield* withProgress(json, (onProgress) => scoring.rescore({ ...rescoring, onProgress }))
      yield* showSummary(summary, json, rescoring.rubric)
    }).pipe(
      // Scoring works on the timeline of its log view.
      Effect.provide(layerWithCritics),
      TimelineOption.provide(timeline),
      Effect.provide(OpenLog.forWriting(log)),
    )
    return Effect.gen(function* () {
      yield* PartOption.checkOutput(inParts)
      if (Option.isSome(part)) yield* asPart(part.value)
      else yield* whole
    })
  },
).pipe(
  Command.withDescription("Score past tasks again by another rubric, without running anything. Earlier scores stay"),
)

interface Place {
  readonly log: Option.Option<string>
  readonly timeline: Option.Option<string>
  readonly json: boolean
}

interface InParts {
  readonly parts: Option.Option<number>
  readonly part: Option.Option<string>
  readonly merge: ReadonlyArray<string>
  readonly output: Option.Option<string>
  readonly force: boolean
}

const finishInParts = (scoreSetId: string, parts: number, { json, ...place }: Place) =>
  Effect.flatMap(PartOption.processesOf(parts), (count) =>
    ProgressLine.during({ verb: "scored", unit: "tasks", json }, (onProgress) =>
      RescoreParts.inProcesses(scoreSetId, count, { ...place, onTask: (tasks) => onProgress(tasks) }),
    ),
  )

const begin = (scoreSetId: string, json: boolean) =>
  Output.show(json, { scoreSetId }, () => [
    `Began the score set ${scoreSetId}. On each machine, write parts: hindcast rescore --resume ${scoreSetId} --part 1/2 --output part-1`,
    `Then merge all of them: hindcast rescore --resume ${scoreSetId} --merge part-1 --merge part-2`,
  ])

/** Writes a part of an unfinished score set. */
const writePart = (
  resume: Option.Option<string>,
  { part, parts, merge, output, force }: Omit<InParts, "part"> & { readonly part: string },
  beside: { readonly [option: string]: OptionValue },
  json: boolean,
) =>
  Effect.gen(function* () {
    yield* V8Tuning.forScoring
    if (Option.isNone(resume)) return yield* needsSet("--part")
    if (Option.isSome(parts) || merge.length > 0 || Object.values(beside).some(isGiven)) {
      return yield* new BadInput({
        input: "--part",
        expected: "no other options than --resume, --output, --force, --timeline, --log and --json",
        found: "one",
      })
    }
    const scoreSetId = yield* unfinishedSet(resume.value)
    const found = yield* PartOption.parse(part)
    const file = yield* PartOption.outputOf(output)
    const written = yield* ProgressLine.during({ verb: "read", unit: "events", json }, (onProgress) =>
      RescoreParts.write(scoreSetId, { part: found, output: file, force, onProgress }),
    )
    yield* ExportSummary.printSummary(
      { output: file, json },
      { scoreSetId, part: PartOption.textOf(found), ...written },
      `Wrote verdicts on ${count(written.tasks, "task")}, the part ${PartOption.textOf(found)}, to ${file}.`,
    )
  })

const needsSet = (input: string) =>
  new BadInput({
    input,
    expected: "--resume SET, the score set whose parts these are",
    found: "none",
    advice: "`hindcast rescore --rubric FILE --begin` begins one.",
  })

/** Resumes a score set, whose rubric, critics and tasks are fixed since its start. */
const finish = (
  name: string,
  beside: { readonly [option: string]: OptionValue },
  { parts, merge, ...place }: Place & Pick<InParts, "parts" | "merge">,
) =>
  Effect.gen(function* () {
    const { json } = place
    if (Option.isSome(parts) && merge.length > 0) {
      return yield* new BadInput({ input: "--merge", expected: "the files of parts, or --parts", found: "both" })
    }
    if (Object.values(beside).some(isGiven)) {
      return yield* new BadInput({
        input: "--resume",
        expected: "no other options than --parts, --merge, --timeline, --log and --json",
        found: "one",
        advice: "A score set keeps the rubric, label and tasks that it was begun with.",
      })
    }
    const scoreSetId = yield* unfinishedSet(name)
    const scoring = yield* Scoring
    const summary = Option.isSome(parts)
      ? yield* finishInParts(scoreSetId, parts.value, place)
      : merge.length > 0
        ? yield* RescoreParts.mergeFiles(scoreSetId, merge)
        : yield* withProgress(json, (onProgress) => scoring.resume(scoreSetId, { onProgress }))
    yield* showSummary(summary, json)
  })

const unfinishedSet = (name: string) =>
  Effect.gen(function* () {
    const { scoreSetIds } = yield* SetScores.resolve(name)
    const { sets } = yield* (yield* Projector).current(ScoreSets.projection)
    const unfinished = scoreSetIds.filter((id) => sets[id]?.finished === false)
    const [scoreSetId, ...others] = scoreSetIds.length === 1 ? scoreSetIds : unfinished
    if (scoreSetId === undefined || others.length > 0) {
      const found = `${unfinished.length} among the ${scoreSetIds.length} that "${name}" stands for`
      return yield* new BadInput({ input: "--resume", expected: "one unfinished score set", found })
    }
    return scoreSetId
  })

const withProgress = <A, E, R>(
  json: boolean,
  run: (
    onProgress: (progress: { readonly events: number; readonly ofEvents: number }) => Effect.Effect<void>,
  ) => Effect.Effect<A, E, R>,
) =>
  ProgressLine.during({ verb: "read", unit: "events", json }, (onProgress) =>
    run(({ events, ofEvents }) => onProgress(events, ofEvents)),
  )

const showPlan = (plan: RescorePlan, rubric: Rubric.Rubric, json: boolean) =>
  Effect.gen(function* () {
    const explained = yield* NeverHeld.explain(yield* EventLog, rubric, NeverHeld.all(rubric), {
      taskIds: plan.taskIds,
      until: plan.range.to,
    })
    const neverHeld = explained.filter(({ missing }) => missing !== null)
    yield* Output.show(json, { ...plan, neverHeld }, (style) => RescoringPage.planLines(style, plan))
    yield* noteNeverHeld(neverHeld, json)
  })

/** Says which rules ask for something that no task has. Others may have had no occasion to hold. */
const noteNeverHeld = (neverHeld: ReadonlyArray<NeverHeld.NeverHeld>, json: boolean) =>
  Effect.forEach(
    json ? [] : neverHeld,
    ({ name, missing }) =>
      missing === null ? Effect.void : Output.note(`"${oneLine(name)}" never held: ${oneLine(missing)}.`),
    { discard: true },
  )

/** The rules that a score set has no verdict by. */
const neverHeldIn = (rubric: Rubric.Rubric, summary: SetSummary.SetSummary, taskIds: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const isUnscored = ({ measure, name }: NeverHeld.Sought) =>
      summary.unscored.some((one) => one.measure === measure && one.name === name)
    const given = (one: NeverHeld.Sought) => {
      const of = summary.measures.find(({ measure }) => measure === one.measure)
      const verdicts = one.kind === "reward" ? of?.rewards : of?.punishments
      return verdicts?.some(({ name, tasks }) => name === one.name && tasks > 0) === true
    }
    const sought = NeverHeld.all(rubric).filter((one) => !isUnscored(one) && !given(one))
    if (taskIds.length === 0 || sought.length === 0) return []
    const { position: until } = yield* log.head
    return yield* NeverHeld.explain(log, rubric, sought, { taskIds, until })
  })

/** Prints each task's changes if there are few tasks, else the totals. */
const showSummary = ({ scoreSetId, label, taskIds, totals }: ScoreSetSummary, json: boolean, rubric?: Rubric.Rubric) =>
  Effect.gen(function* () {
    const known = yield* (yield* Projector).current(ScoreSets.projection)
    const summary = yield* SetSummary.load(known, [scoreSetId])
    const neverHeld = rubric === undefined ? [] : yield* neverHeldIn(rubric, summary, taskIds)
    if (taskIds.length <= MAX_CHANGES) {
      const audits = yield* Effect.forEach(taskIds, TaskAudit.load)
      const changes = audits.map((audit) => ScoreChange.of(audit, scoreSetId))
      const document = { scoreSetId, label, tasks: changes, neverHeld }
      yield* Output.show(json, document, (style) =>
        ScoreChange.lines(style, { scoreSetId, label, taskIds, totals }, changes),
      )
      return yield* noteNeverHeld(neverHeld, json)
    }
    const before = Object.entries(known.sets).filter(([id]) => id !== scoreSetId)
    const against = before.some(([, { label }]) => label === LIVE) ? LIVE : before.at(-1)?.[0].slice(-8)
    yield* Output.show(json, { scoreSetId, label, summary, neverHeld }, (style) =>
      RescoringPage.lines(style, { scoreSetId, label, summary, against }),
    )
    yield* noteNeverHeld(neverHeld, json)
  })
