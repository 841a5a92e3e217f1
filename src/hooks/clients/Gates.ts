/** The events at which a tool waits, for all clients. The hook's command loads it, so it imports nothing. */

export const isGate = (event: string): boolean => GATES.has(event)

const GATES: ReadonlySet<string> = new Set(["PreToolUse", "BeforeTool", "preToolUse"])
