/** The request to the model in the turn of the position: its answer, its parts, its changes, and its raw form. */
import { useState } from "preact/hooks"
import { messageLines } from "../../../projections/request/MessageText.ts"
import { answerMessage } from "../../../projections/request/RequestMessage.ts"
import type { SeenTurn } from "../../../projections/request/SeenTurn.ts"
import type { CourseMoment } from "../model/CourseHistory.ts"
import { useStudio } from "../parts/context.ts"
import { At } from "../parts/Link.tsx"
import { lazy } from "../parts/lazy.tsx"
import { Problem } from "../parts/Problem.tsx"
import { ChangedParts } from "../parts/request/ChangedParts.tsx"
import { RawRequest } from "../parts/request/RawRequest.tsx"
import { RequestParts, TextOf } from "../parts/request/RequestParts.tsx"
import { SizeOf } from "../parts/request/SizeOf.tsx"
import { useAnswer } from "../parts/useAnswer.ts"
import { useThrottled } from "../parts/useThrottled.ts"

const ForkDialog = lazy(async () => (await import("../parts/ForkDialog.tsx")).ForkDialog)

const VIEWS = ["answer", "saw", "changed", "raw"] as const

type View = (typeof VIEWS)[number]

export const SawPane = ({ frame }: { readonly frame: CourseMoment }) => {
  const studio = useStudio()
  const [view, setView] = useState<View>("saw")
  const position = useThrottled(frame.position)
  const { timeline, task } = studio.visit ?? {}
  const { answer, problem } = useAnswer("saw", { timeline, task, position }, studio.history.value?.last)
  if (answer === null) return problem === "" ? <p class="empty"> </p> : <Problem text={problem} />
  const { saw } = answer
  if (saw === null)
    return <p class="empty">There is no request to a model before this event. The first one appears here.</p>
  return (
    <div class="saw">
      <h2>
        {TITLES[saw.request.asksFor]} <At position={saw.request.position} />
      </h2>
      <Problem text={problem} />
      <Neighbours saw={saw} />
      <SizeOf saw={saw} />
      {saw.request.notes.map((note) => (
        <p class="note" key={note}>
          <bdi>{note}</bdi>
        </p>
      ))}
      <fieldset class="views" aria-label="What is shown">
        {VIEWS.map((name) => (
          <button key={name} type="button" aria-pressed={view === name} onClick={() => setView(name)}>
            {name}
          </button>
        ))}
        <ForkBefore saw={saw} />
      </fieldset>
      <Viewed view={view} saw={saw} />
    </div>
  )
}

const TITLES = {
  turn: "What the model saw",
  summary: "A request for a summary",
  verdict: "A critic's question",
} as const

const Viewed = ({ view, saw }: { readonly view: View; readonly saw: SeenTurn }) => {
  switch (view) {
    case "saw":
      return <RequestParts request={saw.request} />
    case "changed":
      return <ChangedParts saw={saw} />
    case "answer":
      return <AnswerOf saw={saw} />
    case "raw":
      return <RawRequest saw={saw} />
  }
}

/** The task's requests before and after this one. */
const Neighbours = ({ saw: { turn, turns, before, after, request } }: { readonly saw: SeenTurn }) => (
  <p class="facts">
    <span>
      request {turn} of {turns}
    </span>
    {request.agentId === null ? null : (
      <span>
        agent <bdi>{request.agentId}</bdi>
      </span>
    )}
    {before === null ? null : (
      <span>
        before <At position={before} />
      </span>
    )}
    {after === null ? null : (
      <span>
        next <At position={after} />
      </span>
    )}
  </p>
)

const AnswerOf = ({ saw: { request } }: { readonly saw: SeenTurn }) => {
  const { answer } = request
  if (answer === null) return <p class="empty">The log has no answer to this request.</p>
  const [message] = answerMessage(answer.response, answer.at)
  const text = message === undefined ? JSON.stringify(answer.response, null, 2) : messageLines(message)
  return (
    <>
      <p>
        <At position={answer.at} />
        {answer.failed === null ? null : (
          <strong class="bad">
            {" "}
            <bdi>{answer.failed}</bdi>
          </strong>
        )}
      </p>
      {text === "null" || text === "" ? null : <TextOf text={text} />}
    </>
  )
}

/** Lets another model answer, or the same one again, in a fork from before the request. */
const ForkBefore = ({ saw: { request } }: { readonly saw: SeenTurn }) => {
  const studio = useStudio()
  const [isOpen, open] = useState(false)
  if (!studio.log.value.allows.fork || request.recordedBy !== "agent" || request.asksFor !== "turn") return null
  return (
    <>
      <button type="button" onClick={() => open(true)}>
        answer differently in a fork …
      </button>
      {isOpen ? <ForkDialog at={request.position - 1} onClose={() => open(false)} /> : null}
    </>
  )
}
