/**
 * Pending questions to people: the request, the rule that asks, its causes, the world at that moment, and the time left
 * to answer.
 */
import { useEffect, useState } from "preact/hooks"
import type { Question } from "../../wire/Asking.ts"
import { visit } from "../model/Address.ts"
import { useStudio } from "../parts/context.ts"
import { duration } from "../parts/format.ts"
import { Inferred } from "../parts/Inferred.tsx"
import { Link } from "../parts/Link.tsx"
import { Value } from "../parts/Value.tsx"

export const QuestionsScreen = () => {
  const studio = useStudio()
  const questions = studio.questions.value
  return (
    <main class="questions">
      <div class="sentence">
        <h1>{questions.length === 0 ? "Nothing waits for an answer" : "A question waits for your answer"}</h1>
        {questions.length > 0 ? null : (
          <p class="empty">
            When a gate rule asks a person about a command or a request, the question appears here until it is answered
            or expires.
          </p>
        )}
      </div>
      {questions.map((question) => (
        <QuestionBox key={question.id} question={question} />
      ))}
    </main>
  )
}

const QuestionBox = ({ question }: { readonly question: Question }) => {
  const studio = useStudio()
  const [reason, setReason] = useState("")
  const [said, setSaid] = useState("")
  const [isBusy, setBusy] = useState(false)
  const left = useTimeLeft(question.expiresAt)
  const { allows } = studio.log.value
  const answer = async (approve: boolean) => {
    setBusy(true)
    try {
      await studio.source.order("answers", {
        question: question.id,
        digest: question.digest,
        approve,
        ...(reason === "" ? {} : { reason }),
      })
      setSaid(approve ? "Approved." : "Rejected.")
    } catch (cause) {
      // The box may be gone with its question, so report the failure in the notice.
      studio.fail(cause)
    } finally {
      setBusy(false)
    }
  }
  return (
    <article class="question" aria-label={`Question about ${question.what}`}>
      <header>
        <h2>
          <bdi>{question.what}</bdi>
        </h2>
        <span class={left < 10_000 ? "left bad" : "left"}>
          {left <= 0 ? "expired" : `${duration(Math.ceil(left / 1000) * 1000)} left`}
        </span>
      </header>
      {question.warning === null ? null : (
        <p class="warning">
          <bdi>{question.warning}</bdi>
        </p>
      )}
      <div class="asked">
        <Value value={question.args} />
      </div>
      <dl class="facts">
        <dt>rule</dt>
        <dd>{question.rule === null ? "a rule of the gate" : <bdi>{question.rule}</bdi>}</dd>
        {question.risk === null ? null : (
          <>
            <dt>risk</dt>
            <dd>{question.risk}</dd>
          </>
        )}
        <dt>task</dt>
        <dd>
          <Link to={visit({ timeline: question.timeline, task: question.task }, question.position)}>
            {question.task ?? "no task"} @{question.position}: the world at that moment
          </Link>
        </dd>
      </dl>
      <details>
        <summary>the question as it was recorded</summary>
        <Value value={question.shown} />
      </details>
      <h3>Why</h3>
      <ol class="chain">
        {question.why.map(({ position, type, line, inferred, placed }) => (
          <li key={position}>
            <span class="at">@{position}</span> <span class="type">{type}</span> <bdi>{line}</bdi>
            <Inferred by={inferred} placed={placed} />
          </li>
        ))}
      </ol>
      {allows.answer ? (
        <form class="answer" onSubmit={(event) => event.preventDefault()}>
          <input
            value={reason}
            placeholder="a reason (optional)"
            aria-label="Reason"
            maxLength={2000}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
          <button type="button" disabled={isBusy || left <= 0} onClick={() => void answer(false)}>
            Reject
          </button>
          <button type="button" class="main" disabled={isBusy || left <= 0} onClick={() => void answer(true)}>
            Approve
          </button>
        </form>
      ) : (
        <p class="note">
          Studio was started without answering. Use <code>hindcast studio --answer</code>, or{" "}
          <code>hindcast confirm</code>.
        </p>
      )}
      <p role="status">{said}</p>
    </article>
  )
}

/** Milliseconds left, updated each second. */
const useTimeLeft = (until: number): number => {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return until - now
}
