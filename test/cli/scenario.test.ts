import * as fs from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const page = fs.readFileSync(inRepository("docs", "worlds.md"), "utf8")
const [, theLostKey = ""] = /^```yaml the-lost-key\.yaml\n([\s\S]*?)^```$/m.exec(page) ?? []

const AGENT = `
const steps = [
  ["go", { direction: "north" }], ["examine", { target: "clock" }], ["take", { item: "brass key" }], ["go", { direction: "south" }],
  ["examine", { target: "desk" }], ["use", { item: "brass key", on: "desk" }], ["open", { target: "desk" }], ["take", { item: "document" }],
]
export default {
  name: "finder",
  version: "1",
  decide: ({ step }) => {
    const [verb, args] = steps[step] ?? ["look", {}]
    return { act: "text-room/" + verb, args }
  },
}
`

const LOG = ["--log", place.file("log.db")]
const room = ["--plugin", inRepository("plugins", "text-room")]
const playing = (scenario: string, name = "the-lost-key.yaml", log = LOG) => [
  ...["run", ...log, "--agent", place.file("agent.mjs", AGENT), ...room],
  ...["--scenario", place.file(name, scenario)],
]

describe("run --scenario FILE", () => {
  it("plays the page's scenario to its end, with its description as the goal; it is replayed and forked without the file", async () => {
    const { code, stdout, stderr } = await hindcast(playing(theLostKey))
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain("Find the key, open the desk and take the document.")
    expect(stdout).toContain("the scenario The Lost Key is won")
    const { events } = await document(["log", "ls", ...LOG, "--type", "MilestoneReached"])
    expect(events).toMatchObject([{ payload: { name: "key_found" } }])

    const { tasks } = (await document(["task", "ls", ...LOG])) as { tasks: ReadonlyArray<{ id: string }> }
    const [task] = tasks
    const agent = ["--agent", place.file("agent.mjs", AGENT), ...LOG]
    expect(await document(["replay", String(task?.id), ...agent])).toMatchObject({ verdict: "identical" })
    const decisions = (await document(["log", "ls", ...LOG, "--type", "DecisionMade"])) as {
      events: ReadonlyArray<{ position: number }>
    }
    const forked = await document(["fork", `@${decisions.events[3]?.position}`, ...agent])
    expect(forked).toMatchObject({ audit: { outcome: "achieved" } })
  })

  it("names all mistakes with their lines, and opens no task", async () => {
    const other = ["--log", place.file("other.db")]
    const wrong = theLostKey
      .replace("exits: { north: hallway }", "exits: { north: halway }")
      .replace("item_name: document", "item_name: crown")
    const { code, stderr } = await hindcast([...playing(wrong, "wrong.yaml", other), "--json"])
    const { error } = JSON.parse(stderr)
    expect({ code, tag: error.tag }).toEqual({ code: 1, tag: "ScenarioInvalid" })
    expect(error.message).toMatch(
      /wrong\.yaml has 2 mistakes:\n {2}8:54 .*found "halway" \(did you mean hallway\?\)\n {2}25:32 .*"crown"/,
    )
    const elsewhere = await hindcast(playing(theLostKey.replace("TextBasedRoom", "Moon"), "moon.yaml", other))
    expect(elsewhere.stderr).toMatch(/2:1 \/environment_type: expected the world of one active plugin .*found "Moon"/)
    expect(await document(["task", "ls", ...other])).toMatchObject({ tasks: [] })
  })

  it("is asked for, or a goal", async () => {
    const { code, stderr } = await hindcast(["run", ...LOG, "--agent", place.file("agent.mjs", AGENT), ...room])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("--goal: expected what the agent is") })
  })
})
