/**
 * The task's score by the chosen score set, each reward and punishment with its evidence; and all score sets side by
 * side.
 */
import { useEffect, useMemo, useState } from "preact/hooks"
import type { RewardRow, ScoreSetRow } from "../../wire/Task.ts"
import { amountLabel } from "../model/rewards.ts"
import { useStudio } from "../parts/context.ts"
import { signed } from "../parts/format.ts"
import { At } from "../parts/Link.tsx"
import { netsOf, PAGE, pageOf } from "./nets.ts"
import { VerdictTable } from "./VerdictTable.tsx"

const EVIDENCE = 12

export const RewardsPane = () => {
  const studio = useStudio()
  const head = studio.history.value?.head.value ?? null
  const position = studio.position.value
  const moments = studio.moments.value
  const netAt = useMemo(() => netsOf(moments), [moments])
  if (head === null) return <p class="empty">Rewards belong to tasks. Choose one: its events have their own list.</p>
  if (head.sets.length === 0)
    return (
      <p class="empty">
        This task has no scores. <code>hindcast rescore {head.id} --rubric FILE</code> does.
      </p>
    )
  const chosen = studio.scoreSetOf(head)
  const now = netAt(position)
  return (
    <>
      <h2>
        <span class={now < 0 ? "punishment" : "reward"}>{signed(now)}</span> as of @{position}
      </h2>
      <p class="facts-line">
        <ChosenSet set={head.sets.find(({ set }) => set === chosen)} scores={studio.scores.value} />
      </p>
      <Rewards key={chosen} rewards={studio.rewards.value} netAt={netAt} />
      {head.sets.length < 2 ? null : <VerdictTable head={head} chosen={chosen} />}
    </>
  )
}

/** Which score set it is. The bar, or a heading of the table below, chooses another. */
const ChosenSet = ({ set, scores }: { readonly set: ScoreSetRow | undefined; readonly scores: string }) =>
  set === undefined ? (
    <span class="unknown">
      This task has no score by <bdi>{scores}</bdi>.
    </span>
  ) : (
    <span>
      by <bdi>{set.label}</bdi>, judged by <bdi>{set.critic}</bdi>
      {set.pointers.length === 0 ? "" : ` · ${set.pointers.join(" · ")}`}
      {set.finished ? "" : " · unfinished"}
    </span>
  )

interface RewardsProps {
  readonly rewards: ReadonlyArray<RewardRow>
  readonly netAt: (position: number) => number
}

/** The page of rewards around the position, or the one that the reader turned to since. */
const Rewards = ({ rewards, netAt }: RewardsProps) => {
  const position = useStudio().position.value
  const [turned, turn] = useState<number | null>(null)
  useEffect(() => turn(null), [position])
  const { rows, number, pages } = pageOf(rewards, turned, position)
  if (rewards.length === 0) return <p class="empty">No rule of this score set applied.</p>
  return (
    <>
      <table class="rewards">
        <thead>
          <tr>
            <th scope="col">at</th>
            <th scope="col">what</th>
            <th scope="col" class="n">
              amount
            </th>
            <th scope="col" class="n">
              net
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((reward) => (
            <tr
              key={reward.position}
              class={reward.at === position ? "here" : reward.at > position ? "later" : undefined}
            >
              <td>
                <Evidence reward={reward} />
              </td>
              <td>
                <bdi>{reward.name}</bdi>{" "}
                <small>
                  <bdi>{reward.measure}</bdi>
                </small>
                {reward.rationale === null ? null : (
                  <p>
                    <bdi>{reward.rationale}</bdi>
                  </p>
                )}
              </td>
              <td class={`n ${reward.kind}`}>{amountLabel(reward.amount)}</td>
              <td class="n">{signed(netAt(reward.at))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {pages === 1 ? null : (
        <p class="turn">
          <button type="button" disabled={number === 0} onClick={() => turn(number - 1)}>
            before
          </button>{" "}
          {number * PAGE + 1} to {number * PAGE + rows.length} of {rewards.length.toLocaleString("en")}{" "}
          <button type="button" disabled={number === pages - 1} onClick={() => turn(number + 1)}>
            after
          </button>
        </p>
      )}
    </>
  )
}

/** The newest positions of a reward's evidence. */
const Evidence = ({ reward: { because, position } }: { readonly reward: RewardRow }) => {
  const shown = because.length === 0 ? [position] : because.slice(-EVIDENCE)
  return (
    <>
      {because.length > shown.length ? <small>{because.length - shown.length} earlier, </small> : null}
      {shown.map((at) => (
        <At key={at} position={at} title="The evidence" />
      ))}
    </>
  )
}
