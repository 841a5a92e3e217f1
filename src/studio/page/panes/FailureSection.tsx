/** Why the visited task failed: the sentence, and the chain with what each link is based on. */
import { NAMES } from "../../../projections/explanation/FailureChain.ts"
import type { WhyFailed } from "../../wire/Task.ts"
import { useStudio } from "../parts/context.ts"
import { At } from "../parts/Link.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useAnswer } from "../parts/useAnswer.ts"
import { ChainImage } from "./ChainImage.tsx"

export const FailureSection = () => {
  const studio = useStudio()
  const visit = studio.visit
  const head = studio.history.value?.head.value ?? null
  const asked =
    visit === null || visit.task === null ? null : { timeline: visit.timeline, task: visit.task, scores: visit.scores }
  // A new end or a new score changes the explanation.
  const why = useAnswer("failure", asked, `${head?.outcome} ${head?.activity} ${head?.score?.set}`)
  if (asked === null) return null
  return (
    <section class="failure" aria-label="Why the task failed">
      <h2>Why did the task end like this?</h2>
      <Problem text={why.problem} />
      {why.answer === null ? null : <Explained why={why.answer} />}
      {why.answer === null ? null : <ChainImage why={why.answer} />}
    </section>
  )
}

const Explained = ({ why }: { readonly why: WhyFailed }) => (
  <>
    <p>
      <bdi>{why.sentence}</bdi>
    </p>
    <ol class="links">
      {why.chain.map(({ role, position, says, rule }, index) => (
        <li key={index} class={role === "failure" ? "bad" : undefined}>
          <span class="because">{role === why.chain[index - 1]?.role ? "" : NAMES[role]}</span>{" "}
          <At position={position} /> <bdi>{says}</bdi>
          {rule === undefined ? null : <small title={why.rules[rule]}>inferred by {rule}</small>}
        </li>
      ))}
    </ol>
    {why.notes.map((note) => (
      <p key={note} class="empty">
        {note}
      </p>
    ))}
    {Object.keys(why.rules).length === 0 ? null : (
      <ul class="rules">
        {Object.entries(why.rules).map(([rule, says]) => (
          <li key={rule}>
            Inferred by <b>{rule}</b>: {says}.
          </li>
        ))}
      </ul>
    )}
  </>
)
