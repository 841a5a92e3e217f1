/** How the agents of a task behave together: who spoke to whom, what it changed, and cooperation and rewards over time. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { cooperativeIn } from "../../../../projections/collective/Cooperation.ts"
import type { Behaviour, BehaviourPeriod } from "../../../wire/collective/Behaviour.ts"
import type { CourseHistory } from "../../model/CourseHistory.ts"
import { count, number, signed } from "../../parts/format.ts"
import { At } from "../../parts/Link.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useAnswer } from "../../parts/useAnswer.ts"
import { useThrottled } from "../../parts/useThrottled.ts"
import { Waiting } from "../../parts/Waiting.tsx"

export const AgentsView = ({ course }: { readonly course: CourseHistory }) => {
  const head = course.head.value
  const { answer, problem } = useAnswer(
    "behaviour",
    head === null ? null : { timeline: head.timeline, task: head.id },
    useThrottled(course.version.value),
  )
  return (
    <section class="agents-part" aria-label="How the agents behave together">
      <Problem text={problem} />
      {answer !== null ? <Together behaviour={answer} /> : problem === "" ? <Waiting problem={null} /> : null}
    </section>
  )
}

const Together = ({ behaviour }: { readonly behaviour: Behaviour }) => (
  <>
    {behaviour.agents < 2 ? (
      <p class="empty">This task has {behaviour.agents === 0 ? "no names of agents" : "one agent"}.</p>
    ) : null}
    <Pairs behaviour={behaviour} />
    <OverTime behaviour={behaviour} />
  </>
)

const Pairs = ({ behaviour: { pairs, morePairs } }: { readonly behaviour: Behaviour }) => {
  const most = Math.max(1, ...pairs.map(({ times }) => times))
  return (
    <>
      <h2>Who spoke to whom, and who then acted differently</h2>
      {pairs.length === 0 ? (
        <p class="empty">No agent received a message of another: who influenced whom is unknown.</p>
      ) : (
        <Scrolled label="Who spoke to whom">
          <thead>
            <tr>
              <th scope="col">speaker</th>
              <th scope="col">heard by</th>
              <th scope="col" class="n">
                times
              </th>
              <th scope="col" class="n">
                changed after it
              </th>
              <th scope="col" class="n">
                in silence
              </th>
              <th scope="col" class="n">
                difference
              </th>
            </tr>
          </thead>
          <tbody>
            {pairs.map(({ speaker, hearer, times, heard, silent, difference }) => (
              <tr key={JSON.stringify([speaker, hearer])}>
                <th scope="row">
                  <bdi>{speaker}</bdi>
                </th>
                <td>
                  <bdi>{hearer}</bdi>
                </td>
                <td class="n">
                  <Share of={times / most} /> {times}
                </td>
                <td class="n">{`${heard.changed} of ${heard.commands}`}</td>
                <td class="n">{`${silent.changed} of ${silent.commands}`}</td>
                <td class="n">{difference === null ? <span class="unknown">unknown</span> : signed(difference)}</td>
              </tr>
            ))}
          </tbody>
        </Scrolled>
      )}
      {morePairs === 0 ? null : <p class="note">{count(morePairs, "more pair")} with fewer messages.</p>}
      {pairs.length === 0 ? null : (
        <p class="note">A difference says what followed, and not that the speaker caused it.</p>
      )}
    </>
  )
}

const OverTime = ({ behaviour: { actions, moreActions, periods } }: { readonly behaviour: Behaviour }) => {
  const [chosen, choose] = useState<ReadonlyArray<string>>([])
  const hasRewards = periods.some(({ reward }) => reward !== null)
  const cooperative = chosen.length === 0 ? null : chosen
  if (periods.length === 0) return <p class="empty">No agent has acted yet.</p>
  return (
    <>
      <h2>Over time</h2>
      <fieldset class="cooperation">
        <legend>Which actions are cooperation?</legend>
        {actions.map((action, index) => {
          const name = String(index)
          return (
            <label key={name}>
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={() =>
                  choose(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name])
                }
              />{" "}
              <code>
                <bdi>{action}</bdi>
              </code>
            </label>
          )
        })}
        {moreActions === 0 ? null : <span class="note">and {count(moreActions, "rarer action")}</span>}
      </fieldset>
      <Scrolled label="Cooperation and rewards over time">
        <thead>
          <tr>
            <th scope="col">from</th>
            <th scope="col">to</th>
            <th scope="col" class="n">
              commands
            </th>
            <th scope="col" class="n">
              cooperation
            </th>
            {hasRewards ? (
              <th scope="col" class="n">
                reward
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {periods.map((period) => (
            <tr key={period.from}>
              <th scope="row">
                <At position={period.from} />
              </th>
              <td>
                <At position={period.to} />
              </td>
              <td class="n">{period.commands}</td>
              <td class="n">
                <Cooperation cooperating={cooperating(period, cooperative)} commands={period.commands} />
              </td>
              {hasRewards ? <td class="n">{period.reward === null ? "unknown" : signed(period.reward)}</td> : null}
            </tr>
          ))}
        </tbody>
      </Scrolled>
      {hasRewards ? null : <p class="note">The world gave no rewards to the agents.</p>}
    </>
  )
}

/** Actions are named by their places, since two may look alike. */
const cooperating = ({ counts }: BehaviourPeriod, chosen: ReadonlyArray<string> | null): number | null =>
  cooperativeIn(Object.fromEntries(counts.map((times, index) => [String(index), times])), chosen)

interface CooperationProps {
  readonly cooperating: number | null
  readonly commands: number
}

const Cooperation = ({ cooperating, commands }: CooperationProps) =>
  cooperating === null ? (
    <span class="unknown">unknown</span>
  ) : (
    <>
      <Share of={cooperating / commands} /> {`${number((100 * cooperating) / commands)} %`}
    </>
  )

/** A bar next to its number. */
const Share = ({ of }: { readonly of: number }) => (
  <span class="share" aria-hidden="true">
    <span style={{ width: `${100 * of}%` }} />
  </span>
)

interface ScrolledProps {
  readonly label: string
  readonly children: ComponentChildren
}

const Scrolled = ({ label, children }: ScrolledProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
  <section class="scroll" tabIndex={0} aria-label={label}>
    <table>{children}</table>
  </section>
)
