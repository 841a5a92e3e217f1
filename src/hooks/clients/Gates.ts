/** The events at which a tool waits for the answer, of all clients. It is loaded by the hook's command, and imports nothing. */

/** Whether a tool waits at an event of this name. */
export const isGate = (event: string): boolean => GATES.has(event)

const GATES: ReadonlySet<string> = new Set(["PreToolUse", "BeforeTool", "preToolUse"])
