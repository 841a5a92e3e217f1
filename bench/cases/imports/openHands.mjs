/** Conversations of OpenHands, as JSON Lines. */
import { OUTPUT, stamp, uuid, writeLines } from "./lines.mjs"

const CONVERSATIONS = 100
const CALLS = 1_670

export const what = "conversations of OpenHands"

export const write = (directory) => {
  for (let conversation = 0; conversation < CONVERSATIONS; conversation++)
    writeLines(directory, `${uuid(conversation)}/events.jsonl`, eventsOf(uuid(conversation)))
}

const text = (text) => [{ type: "text", text }]

function* eventsOf(id) {
  const event = (number, kind, source, more) => ({
    id: `${id}-${number}`,
    kind,
    source,
    timestamp: stamp(number).replace("Z", ""),
    ...more,
  })
  yield event(0, "MessageEvent", "user", { llm_message: { role: "user", content: text("Make the tests pass") } })
  for (let call = 0; call < CALLS; call++) {
    const [at, tool_call_id] = [1 + 2 * call, `call-${call}`]
    const command = `npm test -- ${call}`
    yield event(at, "ActionEvent", "agent", {
      tool_name: "terminal",
      tool_call_id,
      llm_response_id: `answer-${call}`,
      action: { kind: "TerminalAction", command },
    })
    yield event(at + 1, "ObservationEvent", "environment", {
      tool_name: "terminal",
      tool_call_id,
      observation: { content: text(OUTPUT), is_error: false, exit_code: 0 },
    })
  }
  yield event(1 + 2 * CALLS, "MessageEvent", "agent", {
    llm_message: { role: "assistant", content: text("They pass.") },
  })
}
