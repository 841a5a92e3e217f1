/** The score sets of a task side by side: their verdicts, differences and totals. */
import { Fragment } from "preact"
import { useState } from "preact/hooks"
import { scoringOf, type VerdictCell, type VerdictRow } from "../../wire/Scoring.ts"
import type { ScoreSetRow, TaskHead } from "../../wire/Task.ts"
import { amountLabel } from "../model/rewards.ts"
import { useStudio } from "../parts/context.ts"
import { count, signed } from "../parts/format.ts"
import { At } from "../parts/Link.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useAnswer } from "../parts/useAnswer.ts"
import { byMeasure, differs, inWords } from "./verdicts.ts"

export const VerdictTable = ({ head, chosen }: { readonly head: TaskHead; readonly chosen: string }) => {
  const [onlyOther, setOnlyOther] = useState(false)
  const finished = head.sets.filter((set) => set.finished).length
  const { answer, problem } = useAnswer("verdicts", { timeline: head.timeline, task: head.id }, finished)
  if (answer === null) return problem === "" ? <span class="skeleton" /> : <Problem text={problem} />
  const sets = answer.sets.flatMap((id) => head.sets.find(({ set }) => set === id) ?? [])
  const other = answer.rows.filter(differs)
  const rows = onlyOther ? other : answer.rows
  return (
    <div class="verdicts">
      <h3>Score sets side by side</h3>
      <Problem text={problem} />
      <p class="facts-line">
        <span>
          {other.length === 0
            ? "They decide the same."
            : `${count(other.length, "verdict")} of ${answer.rows.length} differ`}
        </span>
        {other.length === 0 ? null : (
          <label>
            <input type="checkbox" checked={onlyOther} onChange={() => setOnlyOther(!onlyOther)} /> show only these
          </label>
        )}
        {answer.left === 0 ? null : (
          <span>
            the newest {sets.length}; {answer.left} earlier ones are left out
          </span>
        )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <section class="scroll" tabIndex={0} aria-label="Verdicts by score set">
        <table>
          <thead>
            <tr>
              <th scope="col">what</th>
              {sets.map((set) => (
                <SetHeading key={set.set} set={set} all={head.sets} isChosen={set.set === chosen} />
              ))}
            </tr>
          </thead>
          <tbody>
            {[...byMeasure(rows)].map(([measure, own]) => (
              <Fragment key={measure}>
                <tr class="measure">
                  <th scope="rowgroup" colSpan={sets.length + 1}>
                    <bdi>{measure}</bdi>
                  </th>
                </tr>
                {own.map((row) => (
                  <Row key={`${row.kind} ${row.name}`} row={row} sets={sets} />
                ))}
              </Fragment>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">net</th>
              {sets.map(({ set, net }) => (
                <td key={set} class="n">
                  <span class={net < 0 ? "punishment" : "reward"}>{signed(net)}</span>
                </td>
              ))}
            </tr>
          </tfoot>
        </table>
      </section>
      <p class="note">
        ≠ they differ · – did not apply · blank: not in its rubric. Choose a score set to see its scores on every
        screen.
      </p>
    </div>
  )
}

interface SetHeadingProps {
  readonly set: ScoreSetRow
  readonly all: ReadonlyArray<ScoreSetRow>
  readonly isChosen: boolean
}

/** A click on a set shows its scores everywhere. */
const SetHeading = ({ set, all, isChosen }: SetHeadingProps) => {
  const studio = useStudio()
  return (
    <th scope="col" class="n">
      <button type="button" aria-pressed={isChosen} onClick={() => studio.chooseScores(scoringOf(set, all))}>
        <bdi>{set.label}</bdi>
      </button>
      {[set.critic, ...set.pointers, ...(set.finished ? [] : ["unfinished"])].map((line) => (
        <small key={line}>
          <bdi>{line}</bdi>
        </small>
      ))}
    </th>
  )
}

const Row = ({ row, sets }: { readonly row: VerdictRow; readonly sets: ReadonlyArray<ScoreSetRow> }) => {
  const isOther = differs(row)
  return (
    <tr class={isOther ? "differs" : undefined}>
      <th scope="row">
        {isOther ? (
          <span class="sign" role="img" aria-label="They differ">
            ≠
          </span>
        ) : null}{" "}
        <bdi>{row.name}</bdi>
      </th>
      {row.verdicts.map((verdict, index) => (
        <td key={sets[index]?.set ?? index} class="n" title={inWords(verdict)}>
          <Decided verdict={verdict} kind={row.kind} />
        </td>
      ))}
    </tr>
  )
}

const Decided = ({ verdict, kind }: { readonly verdict: VerdictCell | null; readonly kind: VerdictRow["kind"] }) => {
  if (verdict === null) return <span class="unseen">not in its rubric</span>
  const last = verdict.because.at(-1)
  return (
    <>
      {verdict.unscored !== null ? (
        <span class="dim">undecided</span>
      ) : verdict.times === 0 ? (
        <span class="dim">
          –<span class="unseen"> did not hold</span>
        </span>
      ) : (
        <span class={kind}>
          {amountLabel(verdict.amount)}
          {verdict.times === 1 ? "" : ` ×${verdict.times}`}
        </span>
      )}
      {verdict.weight === null ? null : <small>of {verdict.weight}</small>}
      {last === undefined ? null : <At position={last} title="The evidence" />}
    </>
  )
}
