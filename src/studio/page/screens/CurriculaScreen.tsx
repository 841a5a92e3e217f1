/** The runs of curricula: each agent's path over the stages, and why it was decided as it was. */
import type { CurriculumAttempt, CurriculumPath } from "../../wire/curricula/Curricula.ts"
import { visit } from "../model/Address.ts"
import { useStudio } from "../parts/context.ts"
import { count } from "../parts/format.ts"
import { Link } from "../parts/Link.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useAnswer } from "../parts/useAnswer.ts"

export const CurriculaScreen = () => {
  const studio = useStudio()
  const { answer, problem } = useAnswer("curricula", {}, studio.head.value)
  return (
    <main class="plugins curricula">
      <div class="sentence">
        <h1>{answer === null ? "Curricula" : `${count(answer.total, "run")} of curricula`}</h1>
        <Problem text={problem} />
        {answer === null || answer.runs.length === answer.total ? null : (
          <p class="note">These are the newest {answer.runs.length}.</p>
        )}
      </div>
      {(answer?.runs ?? []).map((run) => (
        <Run key={run.id} run={run} />
      ))}
      {answer?.total === 0 ? (
        <p class="empty">No agent has learned by a curriculum in this log. `hindcast curriculum run` begins one.</p>
      ) : null}
    </main>
  )
}

const to = (position: number) => visit({ timeline: "main", task: null }, position)

const Run = ({ run }: { readonly run: CurriculumPath }) => {
  const { name, version, agent, level, state, reason, total, attempts } = run
  return (
    <article>
      <h2>
        <bdi>{name}</bdi>{" "}
        <small>
          <bdi>{version}</bdi>
        </small>{" "}
        <span class={state === "failed" ? "bad" : "quiet"}>{state}</span>
      </h2>
      <p class="quiet">
        <bdi>{agent}</bdi>, since{" "}
        <Link to={to(run.at)} class="at">
          @{run.at}
        </Link>
        {level === null ? null : (
          <>
            , level <bdi>{level}</bdi>
          </>
        )}
        {reason === null ? null : (
          <>
            : <bdi>{reason}</bdi>
          </>
        )}
      </p>
      <Path run={run} />
      {attempts.length === total ? null : (
        <p class="note">
          The newest {attempts.length} of {total} attempts.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
      <section class="scroll" tabIndex={0} aria-label="The attempts">
        <table>
          <thead>
            <tr>
              <th>attempt</th>
              <th>tasks</th>
              <th>decision</th>
              <th>criteria</th>
              <th>help</th>
            </tr>
          </thead>
          <tbody>
            {attempts.map((attempt) => (
              <Attempt key={attempt.at} attempt={attempt} />
            ))}
          </tbody>
        </table>
      </section>
    </article>
  )
}

const Attempt = ({
  attempt: { at, stage, attempt, total, tasks, decided, guidance },
}: {
  readonly attempt: CurriculumAttempt
}) => (
  <tr>
    <th scope="row">
      <Link to={to(at)} class="at">
        @{at}
      </Link>{" "}
      <bdi>{stage}</bdi> {attempt}
    </th>
    <td>
      {tasks.map((task, index) => (
        <span key={task}>
          {index === 0 ? "" : ", "}
          <Link to={visit({ timeline: "main", task }, null)}>
            <bdi>{task.length > SHORT ? `…${task.slice(-SHORT)}` : task}</bdi>
          </Link>
        </span>
      ))}
      {total === tasks.length ? null : ` and ${total - tasks.length} more`}
    </td>
    <td>
      {decided === null ? (
        "in progress"
      ) : (
        <>
          <Link to={to(decided.at)} class="at">
            @{decided.at}
          </Link>{" "}
          <span class={decided.decision === "FAIL" ? "bad" : undefined}>{decided.decision}</span>
          {decided.to === null ? null : (
            <>
              {" → "}
              <bdi>{decided.to}</bdi>
            </>
          )}
          {decided.reason === null ? null : (
            <>
              : <bdi>{decided.reason}</bdi>
            </>
          )}
        </>
      )}
    </td>
    <td>
      <ul>
        {(decided?.verdicts ?? []).map(({ rule, result }, index) => (
          <li key={index}>
            <code>
              <bdi>{rule}</bdi>
            </code>{" "}
            {result}
          </li>
        ))}
      </ul>
    </td>
    <td>
      {guidance === null ? null : (
        <>
          <Link to={to(guidance.at)} class="at">
            @{guidance.at}
          </Link>{" "}
          {guidance.gives} by <bdi>{guidance.tutor}</bdi>
          {guidance.content === null ? ", which is missing" : ": "}
          <bdi>{guidance.content ?? ""}</bdi>
          {guidance.missing === null ? null : (
            <>
              : <bdi>{guidance.missing}</bdi>
            </>
          )}
        </>
      )}
    </td>
  </tr>
)

/** Characters of a task's id that tell it from others. */
const SHORT = 12

/** In pixels. */
const STEP = 22
const ROW = 22
const NAMES = 160

/** A line over the stages: one mark for each attempt, in the row of its stage. */
const Path = ({ run: { name, state, attempts } }: { readonly run: CurriculumPath }) => {
  const stages = [...new Set(attempts.map(({ stage }) => stage))]
  const x = (index: number) => NAMES + STEP * index + STEP / 2
  const y = (stage: string) => ROW * stages.indexOf(stage) + ROW / 2
  const line = attempts.map(({ stage }, index) => `${x(index)},${y(stage)}`).join(" ")
  const [width, height] = [NAMES + STEP * attempts.length, ROW * stages.length]
  const label = `${name}: ${count(attempts.length, "attempt")} at ${count(stages.length, "stage")}, ${state}`
  return attempts.length === 0 ? null : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
    <section class="scroll" tabIndex={0} aria-label="The path over the stages">
      <svg class="path" role="img" aria-label={label} width={width} height={height}>
        <polyline points={line} />
        {stages.map((stage) => (
          <text key={stage} x="0" y={y(stage)} dominant-baseline="central">
            {stage.length > LONGEST ? `${stage.slice(0, LONGEST - 1)}…` : stage}
          </text>
        ))}
        {attempts.map((attempt, index) => (
          <circle key={attempt.at} class={markOf(attempt)} cx={x(index)} cy={y(attempt.stage)} r="6">
            <title>{`${attempt.stage}, attempt ${attempt.attempt}: ${attempt.decided?.decision ?? "in progress"}`}</title>
          </circle>
        ))}
      </svg>
    </section>
  )
}

/** Characters of a stage's name. */
const LONGEST = 20

const markOf = ({ decided, guidance }: CurriculumAttempt): string =>
  decided === null
    ? "open"
    : decided.decision === "PROCEED"
      ? "proceed"
      : decided.decision === "FAIL"
        ? "fail"
        : guidance === null
          ? "repeat"
          : "helped"
