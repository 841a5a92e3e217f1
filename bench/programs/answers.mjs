/** The answers of the model in the part `turns`. */
/** Turns with calls; one without follows. */
export const TURNS = 20

export const goal = "Look around, and write down what you find"

/** The answer to a conversation at any turn, of so many with calls. */
export const turnOf = (messages, turns = TURNS) => {
  const turn = messages.filter(({ role }) => role === "assistant").length
  const usage = { inputTokens: 100 * turn, outputTokens: 40 }
  if (turn >= turns) return { parts: [{ type: "text", text: "I looked everywhere." }], finish: "stop", usage }
  const call = (id, tool, args) => ({ type: "call", callId: `${id}${turn}`, tool: `program__${tool}`, args })
  const text = { type: "text", text: `I look at place ${turn} and note what I found before.` }
  const parts = [text, call("a", "look", { at: turn, carefully: true }), call("b", "note", { of: `place ${turn}` })]
  return { parts, finish: "calls", usage }
}
