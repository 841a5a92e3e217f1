/** The result of a rubric next to the chosen score set's, before anything is recorded. */
import type { Preview } from "../../wire/Scoring.ts"
import { netLine } from "../model/rewards.ts"
import { besideRewards, inWords } from "../panes/verdicts.ts"
import { useStudio } from "../parts/context.ts"
import { extentOf, number, signed } from "../parts/format.ts"

interface Props {
  readonly preview: Preview
  readonly label: string | null
}

export const RescorePreview = ({ preview, label }: Props) => {
  const studio = useStudio()
  const rewards = studio.rewards.value
  const before = netLine(studio.moments.value)
  const rows = besideRewards(rewards, preview.verdicts)
  return (
    <section class="preview" aria-label="Preview of the net score">
      <p>
        By this rubric: <strong class={preview.net < 0 ? "punishment" : "reward"}>{signed(preview.net)}</strong> (earned{" "}
        {number(preview.earned)}, lost {number(preview.lost)})
        {label === null ? "" : `; by ${label}: ${signed(before.at(-1)?.net ?? 0)}`}. Nothing is written until you score.
      </p>
      <Lines before={before} after={preview.line} />
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">what</th>
              {label === null ? null : (
                <th scope="col" class="n">
                  <bdi>{label}</bdi>
                </th>
              )}
              <th scope="col" class="n">
                this rubric
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ measure, name, kind, before: was, after }) => (
              <tr key={`${measure} ${kind} ${name}`} title={inWords(after)}>
                <th scope="row">
                  <bdi>{name}</bdi> <small>{measure}</small>
                </th>
                {label === null ? null : <td class="n">{was === null ? "" : signed(was)}</td>}
                <td class="n">
                  {after === null ? (
                    ""
                  ) : after.unscored !== null ? (
                    <bdi>undecided: {after.unscored}</bdi>
                  ) : after.times === 0 ? (
                    "did not hold"
                  ) : (
                    <>
                      <span class={kind}>{signed(after.amount)}</span>
                      {after.times === 1 ? "" : ` ×${after.times}`}{" "}
                      <span class="at">{after.because.length === 0 ? "" : `@${after.because.at(-1)}`}</span>
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

type Line = ReadonlyArray<{ readonly at: number; readonly net: number }>

/** Both lines over the course: dashed for the current scores, solid for the preview. */
const Lines = ({ before, after }: { readonly before: Line; readonly after: Line }) => {
  const course = useStudio().history.value
  const [first, last] = [course?.first ?? 0, course?.last ?? 1]
  const nets = [0, ...before.map(({ net }) => net), ...after.map(({ net }) => net)]
  const [low, high] = extentOf(nets)
  const x = (at: number) => (100 * (at - first)) / Math.max(1, last - first)
  const y = (net: number) => 2 + (36 * (high - net)) / (high - low || 1)
  const path = (line: Line) =>
    `M0 ${y(0)} ${line.map(({ at, net }) => `H${x(at).toFixed(2)} V${y(net).toFixed(2)}`).join(" ")} H100`
  return (
    <svg
      class="net-lines"
      viewBox="0 0 100 40"
      preserveAspectRatio="none"
      role="img"
      aria-label="The net score over the task"
    >
      <path class="before" d={path(before)} />
      <path d={path(after)} />
    </svg>
  )
}
