/** The event's causes up to the root, and its effects. */
import type { Passage } from "../../../projections/explanation/FollowedPassage.ts"
import type { Why } from "../../wire/CourseSlice.ts"
import type { CourseMoment } from "../model/CourseHistory.ts"
import { useStudio } from "../parts/context.ts"
import { clock } from "../parts/format.ts"
import { Inferred, Rules } from "../parts/Inferred.tsx"
import { At } from "../parts/Link.tsx"
import { Mark } from "../parts/Mark.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useAnswer } from "../parts/useAnswer.ts"
import { FailureSection } from "./FailureSection.tsx"

export const WhyPane = ({ frame }: { readonly frame: CourseMoment }) => {
  const asked = frame.entry === null ? null : { position: frame.entry.position }
  const why = useAnswer("why", asked)
  const timeline = useStudio().visit?.timeline
  const effects = useAnswer("effects", asked === null ? null : { ...asked, timeline })
  // Shows the chunk's causes until the whole chain arrives.
  const chain = why.answer ?? knownOf(frame)
  const problem = why.problem || effects.problem
  return (
    <>
      <FailureSection />
      <h2>Why did this happen?</h2>
      <ol class="chain">
        {chain.map((event, index) => (
          <li key={event.position} class={event.bad ? "bad" : undefined}>
            <span class="because">{index === 0 ? "" : "because"}</span>
            <At position={event.position} /> <Mark kind={event.kind} bad={event.bad} />{" "}
            <span class="type">{event.type}</span> <bdi>{event.line}</bdi>
            <Inferred by={event.inferred} placed={event.placed} />
            <small>
              <bdi>{event.actor}</bdi>, {clock(event.occurredAt)}
            </small>
            {event.passage === undefined ? null : <Followed passage={event.passage} />}
          </li>
        ))}
      </ol>
      <Rules of={chain} />
      <h2>What did it cause?</h2>
      <Problem text={problem} />
      {effects.answer === null || effects.answer.length === 0 ? (
        <p class="empty">{effects.answer === null ? " " : "It caused no events."}</p>
      ) : (
        <ol class="chain effects">
          {effects.answer.map((event) => (
            <li
              key={event.position}
              class={event.bad ? "bad" : undefined}
              style={{ paddingInlineStart: `${Math.min(event.depth, 8) * 12}px` }}
            >
              <At position={event.position} /> <Mark kind={event.kind} bad={event.bad} />{" "}
              <span class="type">{event.type}</span> <bdi>{event.line}</bdi> <Inferred by={event.inferred} />
            </li>
          ))}
        </ol>
      )}
      <Rules of={effects.answer ?? []} />
    </>
  )
}

/** The passage of the conversation behind a command. */
const Followed = ({ passage: { answer, told, reasoning, said } }: { readonly passage: Passage }) => (
  <dl class="passage">
    {told === null ? null : <Text name={`the model read (${told.role})`} text={told.text} />}
    {reasoning === null ? null : <Text name="it reasoned" text={reasoning} />}
    {said === null ? null : <Text name="it said" text={said} />}
    <dt>its whole answer</dt>
    <dd>
      <At position={answer} />
    </dd>
  </dl>
)

const Text = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <>
    <dt>{name}</dt>
    <dd>
      <bdi>{text}</bdi>
    </dd>
  </>
)

const knownOf = ({ entry }: CourseMoment): Why => (entry === null ? [] : [entry])
