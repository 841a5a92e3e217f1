/** The agent's current state, and a field for input to it. */
import { useState } from "preact/hooks"
import { type AgentState, type InputDelivery, LONGEST_INPUT } from "../../wire/Talk.ts"
import type { LiveAnswer } from "../model/conversation/LiveAnswer.ts"
import { useStudio } from "../parts/context.ts"
import { useDraft } from "../parts/useDraft.ts"

const STATES: { readonly [state in AgentState]: string } = {
  ready: "waits for an input",
  thinking: "thinks",
  executing_tool: "uses a tool",
  waiting_for_confirmation: "waits for a person to answer a question",
  done: "is done",
}

/** The verb of each delivery, and when the agent receives the input. */
const VERBS: ReadonlyArray<readonly [delivery: InputDelivery, verb: string, title: string]> = [
  ["queued", "Queue", "The agent reads it when it has finished its current work"],
  ["steering", "Steer", "The agent reads it before its next turn"],
  ["interrupting", "Interrupt", "The agent reads it immediately, which ends its current answer"],
]

export const Speaking = ({ live }: { readonly live: LiveAnswer }) => {
  const studio = useStudio()
  const state = live.state.value
  const { allows } = studio.log.value
  return (
    <section class="speaking" aria-label="Talk to the agent">
      <p class="state" role="status">
        {state === null ? "…" : `The agent ${STATES[state]}.`}
      </p>
      {state === "done" ? null : allows.talk ? <Field /> : <p class="note">{allows.answer ? ELSEWHERE : READ_ONLY}</p>}
    </section>
  )
}

const READ_ONLY =
  "You can only watch it here. To talk to it, serve Studio with answer from the program that runs the agent (Studio.layer)."

const ELSEWHERE =
  "You can only watch it here: the program that serves Studio does not run the agent. Use its channel for inputs."

const Field = () => {
  const studio = useStudio()
  const [isSending, setSending] = useState(false)
  const { timeline = "", task = null } = studio.history.value?.course ?? {}
  // A draft survives while another part of the task loads and this field is gone.
  const { text, type, kept } = useDraft(`input ${timeline}/${task}`, "")
  const send = async (delivery: InputDelivery): Promise<void> => {
    if (task === null || isSending) return
    setSending(true)
    try {
      await studio.source.order("inputs", { timeline, task, text, delivery })
      kept(text)
      studio.follow()
    } catch (cause) {
      studio.fail(cause)
    }
    setSending(false)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void send("queued")
      }}
    >
      <textarea
        aria-label="Message to the agent"
        rows={3}
        maxLength={LONGEST_INPUT}
        value={text}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      <p class="verbs">
        {VERBS.map(([delivery, verb, title]) => (
          <button
            key={delivery}
            type={delivery === "queued" ? "submit" : "button"}
            title={title}
            disabled={isSending || text.trim() === ""}
            onClick={delivery === "queued" ? undefined : () => void send(delivery)}
          >
            {verb}
          </button>
        ))}
      </p>
    </form>
  )
}
