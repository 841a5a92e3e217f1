/** Several tasks in a table: outcome, score, cost, time, and the first decision that differs from the first task's. */

import * as TokenCount from "../../../../projections/summary/TokenCount.ts"
import * as Money from "../../../../values/Money.ts"
import type { RunTable, TableRun } from "../../../wire/Runs.ts"
import { othersOf, type Visit, visit, vsOf } from "../../model/Address.ts"
import { useStudio } from "../../parts/context.ts"
import { duration, number } from "../../parts/format.ts"
import { Link } from "../../parts/Link.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useAnswer } from "../../parts/useAnswer.ts"
import { useThrottled } from "../../parts/useThrottled.ts"
import { scoringOf } from "./scoringName.ts"

export const RunsScreen = ({ address }: { readonly address: Visit }) => {
  const studio = useStudio()
  const { timeline, task, scores } = address
  const runs = [{ timeline, task }, ...othersOf(address)].map((run) => `${run.timeline}/${run.task}`)
  const grown = useThrottled(studio.tasksVersion.value)
  const { answer, problem } = useAnswer("runs", { runs: JSON.stringify(runs), scores }, grown)
  return (
    <main class="runs" aria-busy={answer === null && problem === ""}>
      {problem === "" ? null : <Problem text={problem} />}
      {answer === null ? null : <Table table={answer} />}
    </main>
  )
}

const Table = ({ table: { runs, scores, scored, groups, verdicts } }: { readonly table: RunTable }) => {
  const studio = useStudio()
  const goals = new Set(runs.map(({ goal }) => goal))
  return (
    <>
      <h1>
        {runs.length} runs
        {goals.size === 1 ? (
          <>
            : <bdi>{runs[0]?.goal ?? ""}</bdi>
          </>
        ) : null}
      </h1>
      {verdicts.map((verdict) => (
        <p class="verdict" key={verdict}>
          <bdi>{verdict}</bdi>
        </p>
      ))}
      {groups
        .filter(({ runs: members, mean }) => members > 1 && mean !== null)
        .map(({ label, runs: members, scored: known, mean }) => (
          <p class="facts-line" key={label}>
            <bdi>{label}:</bdi> mean score {number(mean ?? 0)} over {known} of {members} runs
          </p>
        ))}
      {scored === null ? null : (
        <label>
          Scores by{" "}
          <select
            value={scoringOf(scored, scores)}
            onChange={({ currentTarget }) => studio.look({ scores: currentTarget.value })}
          >
            {scores.map((score) => (
              <option key={score.all[0]} value={scoringOf(score, scores)}>
                {score.rubric === "" ? score.labels.join(", ") : score.rubric}, judged by {score.critic} (
                {score.sets.filter((set) => set !== null).length} of {score.sets.length})
              </option>
            ))}
          </select>
        </label>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard. */}
      <section class="run-table" tabIndex={0} aria-label="The runs">
        <table>
          <thead>
            <tr>
              <th scope="col">run</th>
              <th scope="col">outcome</th>
              <th scope="col" class="n">
                score
              </th>
              <th scope="col" class="n">
                cost
              </th>
              <th scope="col" class="n">
                tokens
              </th>
              <th scope="col" class="n">
                time
              </th>
              <th scope="col" class="n">
                steps
              </th>
              <th scope="col">first decision that differs</th>
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <Row key={run.label} run={run} first={runs[0]} />
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}

const Row = ({ run, first }: { readonly run: TableRun; readonly first: TableRun | undefined }) => {
  const { label, timeline, taskId, row, net, split } = run
  return (
    <tr>
      <th scope="row">
        <Link to={visit({ timeline, task: taskId }, null)}>
          <bdi>{label}</bdi>
        </Link>{" "}
        <bdi class="id">{timeline === "main" ? taskId : `${taskId} on ${timeline}`}</bdi>
      </th>
      <td>{row.outcome}</td>
      <td class="n">{net === null ? "unknown" : number(net)}</td>
      <td class="n">{row.modelCalls === 0 ? "–" : Money.costInTable(row.cost)}</td>
      <td class="n">{tokensOf(row)}</td>
      <td class="n">{row.durationMs === null ? "unknown" : duration(row.durationMs)}</td>
      <td class="n">{row.steps}</td>
      <td>
        {split === null || first === undefined ? (
          "–"
        ) : (
          <Link
            to={visit({ timeline: first.timeline, task: first.taskId }, split.at?.first ?? null, {
              vs: vsOf([{ timeline, task: taskId }]),
            })}
          >
            <bdi>
              {split.at === null ? "none" : `${split.at.here === null ? "" : `@${split.at.here} `}${split.deed}`}
            </bdi>
          </Link>
        )}
      </td>
    </tr>
  )
}

const tokensOf = ({ modelCalls, tokens: known, unmetered }: TableRun["row"]): string =>
  modelCalls === 0
    ? "–"
    : TokenCount.inTable({ known, isLowerBound: unmetered > 0 }, (count) => count.toLocaleString("en"))
