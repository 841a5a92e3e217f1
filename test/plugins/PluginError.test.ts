import { describe, expect, it } from "vitest"
import { PluginFailedToLoad } from "../../src/plugins/PluginError.ts"

const TRACE = [
  "TypeError: no such door",
  "    at open (file:///copies/room-1a2b/doors.ts:7:9)",
  "    at file:///copies/room-1a2b/main.ts:3:1",
]

describe("a plugin that did not load", () => {
  const failed = new PluginFailedToLoad({
    plugin: "room",
    reason: TRACE.join("\n"),
    stderr: ["a line of its own", "    at file:///copies/room-1a2b/main.ts:3:1"],
  })

  it("is told to people by what was thrown and where, without the trace", () => {
    expect(failed.message).toBe(
      "Plugin room did not load: TypeError: no such door (at /copies/room-1a2b/doors.ts:7:9)\n  | a line of its own",
    )
  })

  it("is told to programs with the trace", () => {
    expect(failed.details).toBe([...TRACE, ...failed.stderr].join("\n"))
  })

  it("is never said to have failed in the host's own runner", () => {
    const reason = "Error: no default export\n    at load (file:///hindcast/dist/plugins/runner/runner.js:5:1)"
    expect(new PluginFailedToLoad({ plugin: "room", reason, stderr: [] }).message).toBe(
      "Plugin room did not load: Error: no default export",
    )
  })
})
