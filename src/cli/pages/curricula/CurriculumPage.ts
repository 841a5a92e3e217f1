/** Shows an agent's way through a curriculum: its attempts, and the decision after each with its reasons. */
import type { CriterionVerdict } from "../../../events/vocabulary/Worlds.ts"
import type * as CurriculumRuns from "../../../projections/curricula/CurriculumRuns.ts"
import type { CurriculumReplay, ReplayedDecision } from "../../../worlds/curriculum/Curriculum.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, count, oneLine } from "../../terminal/Text.ts"

/** The curricula of a log, one line each. */
export const list = (style: Style, runs: ReadonlyArray<CurriculumRuns.CurriculumRun>): ReadonlyArray<string> =>
  Table.lines(
    style,
    ["run", "curriculum", "agent", ...Table.right("attempts"), "level", "state"],
    runs.map((run) => [
      style.name(run.curriculumId),
      oneLine(`${run.name} ${run.version}`),
      oneLine(run.agent),
      String(run.attempts.length),
      oneLine(run.level ?? ""),
      stateOf(style, run),
    ]),
  )

const stateOf = (style: Style, { ended, attempts }: CurriculumRuns.CurriculumRun): string => {
  if (ended === null) return `in progress at ${oneLine(attempts.at(-1)?.stage ?? "its beginning")}`
  return ended.result === "completed" ? style.good("completed") : style.bad("failed")
}

/** One run, with its decisions. */
export const lines = (style: Style, run: CurriculumRuns.CurriculumRun): ReadonlyArray<string> => [
  `${style.bold(oneLine(`${run.name} ${run.version}`))}   ${oneLine(run.agent)}   ${stateOf(style, run)}${because(run.ended?.reason)}`,
  style.dim(`run ${run.curriculumId} ${at(run.at)}, seed ${run.seed}, criteria ${run.digest.slice(0, 12)}`),
  ...run.levels.map((level) => `reached ${style.bold(oneLine(level.to))} ${style.dim(at(level.at))}`),
  "",
  ...run.attempts.flatMap((attempt) => attemptLines(style, attempt)),
]

/** An attempt and the decision after it. */
export const attemptLines = (style: Style, attempt: CurriculumRuns.Attempt): ReadonlyArray<string> => {
  const { decided, guidance, taskIds } = attempt
  const head = `${oneLine(attempt.stage)}, attempt ${attempt.attempt} ${style.dim(`${at(attempt.at)}, ${count(taskIds.length, "task")}`)}`
  if (decided === null) return [`${head}  in progress`]
  return [
    `${head}  ${decisionOf(style, decided)}${because(decided.reason)} ${style.dim(at(decided.at))}`,
    ...decided.verdicts.map((verdict) => `  ${verdictLine(style, verdict)}`),
    ...(guidance === null
      ? []
      : [
          `  ${oneLine(guidance.gives)} by ${oneLine(guidance.tutor)}: ${oneLine(guidance.content ?? `none (${guidance.missing ?? "reason unknown"})`)}`,
        ]),
  ]
}

const because = (reason: string | undefined): string => (reason === undefined ? "" : `: ${oneLine(reason)}`)

const decisionOf = (style: Style, { decision, to }: Pick<ReplayedDecision, "decision" | "to">): string => {
  const target = to ?? (decision === "PROCEED" ? "the end" : undefined)
  const text = `${decision}${target === undefined ? "" : ` → ${oneLine(target)}`}`
  return decision === "FAIL" ? style.bad(text) : decision === "PROCEED" ? style.good(text) : style.bold(text)
}

const verdictLine = (style: Style, { path, rule, result, reason }: CriterionVerdict): string =>
  `${style.dim(path)}  ${oneLine(rule)}  ${result}${because(reason)}`

/** The result of a replay by other criteria. */
export const replayLines = (style: Style, replay: CurriculumReplay): ReadonlyArray<string> => {
  const { attempts, compared, differing, digests } = replay
  const same =
    digests.recorded === digests.replayed
      ? "the same criteria"
      : `criteria ${digests.replayed.slice(0, 12)} instead of ${digests.recorded.slice(0, 12)}`
  const first = attempts.find(({ comparison }) => comparison === "differs")
  const unknown = attempts.length - compared
  return [
    differing === 0
      ? `${style.good("The same")}: ${count(compared, "decision")} by ${same}.`
      : `${style.bad("Different")}: ${differing} of ${count(compared, "decision")} by ${same}, first at ${oneLine(first?.stage ?? "")}, attempt ${first?.attempt ?? 0} ${at(first?.at ?? 0)}.`,
    ...(unknown === 0
      ? []
      : [
          `${count(unknown, "attempt")} could not be compared: undecided, or at a stage that the other curriculum lacks.`,
        ]),
    ...(differing === 0
      ? []
      : ["After the first difference, the agent would have taken another path, which the log does not contain."]),
    ...attempts.flatMap(({ stage, attempt, at: position, recorded, replayed, comparison }) =>
      comparison !== "differs" || recorded === null || replayed === null
        ? []
        : [
            "",
            `${oneLine(stage)}, attempt ${attempt} ${style.dim(at(position ?? 0))}  recorded ${decisionOf(style, recorded)}, now ${decisionOf(style, replayed)}${because(replayed.reason)}`,
            ...replayed.verdicts.map((verdict) => `  ${verdictLine(style, verdict)}`),
          ],
    ),
  ]
}
