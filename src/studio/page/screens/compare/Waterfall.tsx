/** The difference of two runs' rewards. */
import type { RewardRow } from "../../../wire/Task.ts"
import { barsOf } from "../../model/waterfall.ts"
import { extentOf, number, signed } from "../../parts/format.ts"

interface WaterfallProps {
  readonly a: ReadonlyArray<RewardRow>
  readonly b: ReadonlyArray<RewardRow>
  readonly names: readonly [a: string, b: string]
}

export const Waterfall = ({ a, b, names }: WaterfallProps) => {
  const bars = barsOf(a, b, names)
  const isNet = (index: number): boolean => index === 0 || index === bars.length - 1
  const ends = bars.flatMap(({ from, to }) => [from, to, 0])
  const [low, high] = extentOf(ends)
  const x = (value: number) => ((value - low) / (high - low || 1)) * 100
  return (
    <section class="waterfall" aria-label="The difference of rewards">
      <h2>Where the net scores differ</h2>
      {bars.length === 2 ? <p class="empty">Both have the net score {number(bars[0]?.to ?? 0)}.</p> : null}
      <table>
        <tbody>
          {bars.map(({ name, from, to }, index) => (
            <tr key={index}>
              <th scope="row">
                <bdi>{name}</bdi>
              </th>
              <td class="n">{isNet(index) ? number(to) : signed(to - from)}</td>
              <td class="bar-cell">
                <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                  <rect
                    class={isNet(index) ? "total" : to < from ? "k-punishment" : "k-reward"}
                    x={Math.min(x(from), x(to))}
                    width={Math.max(0.4, Math.abs(x(to) - x(from)))}
                    y="0"
                    height="8"
                  />
                </svg>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
