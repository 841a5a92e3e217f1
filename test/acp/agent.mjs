/** An agent that speaks ACP: it asks for a permission, runs a call that it does not ask about, and waits for more. */
import * as readline from "node:readline"

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const update = (update) => say({ method: "session/update", params: { sessionId: "s1", update } })
let prompt
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, method, result } = JSON.parse(line)
  if (method === "initialize") say({ id, result: { protocolVersion: 1, agentInfo: { name: "scripted" } } })
  if (method === "session/new") say({ id, result: { sessionId: "s1" } })
  if (method === "session/prompt") {
    prompt = id
    update({ sessionUpdate: "tool_call", toolCallId: "c1", kind: "execute", title: "run", status: "pending" })
    const options = [
      { optionId: "y", name: "Yes", kind: "allow_once" },
      { optionId: "n", name: "No", kind: "reject_once" },
    ]
    const toolCall = { toolCallId: "c1", kind: "execute", rawInput: { command: "rm -rf x" } }
    say({ id: 0, method: "session/request_permission", params: { sessionId: "s1", toolCall, options } })
  }
  if (id === 0 && result !== undefined && method === undefined) {
    const { optionId } = result.outcome
    update({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: optionId === "y" ? "completed" : "failed" })
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `chosen: ${optionId}` } })
    say({ id: prompt, result: { stopReason: "end_turn" } })
  }
}
