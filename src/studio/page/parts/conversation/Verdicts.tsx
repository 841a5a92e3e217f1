/** Rewards and punishments whose evidence is an item of the conversation. */
import type { Item } from "../../../../projections/conversation/Item.ts"
import { amountLabel } from "../../model/rewards.ts"
import { useStudio } from "../context.ts"

export const Verdicts = ({ of }: { readonly of: Item }) => {
  const moments = useStudio().momentsAt.value
  const earned = of.events.flatMap((position) => moments.get(position) ?? [])
  return (
    <>
      {earned.map(({ amount, reward }) => (
        <span
          key={`${reward.position}@${amount}`}
          class={`verdict ${reward.kind}`}
          title={reward.rationale === null ? reward.name : `${reward.name}: ${reward.rationale}`}
        >
          {amountLabel(amount)} <bdi>{reward.name}</bdi>
        </span>
      ))}
    </>
  )
}
