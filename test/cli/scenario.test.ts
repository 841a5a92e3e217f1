import * as fs from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const page = fs.readFileSync(inRepository("docs", "guides", "write-a-scenario.md"), "utf8")
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

const SILENT = `export default { name: "silent", version: "1", decide: () => ({ act: "text-rooms/step", args: { action: "" } }) }`

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
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("--goal: expected the agent's goal") })
  })
})

const VAULT = inRepository("examples", "scenarios", "the-vault.yaml")
const ROOMS = ["--plugin", inRepository("packages", "worlds", "text-rooms")]
const part = (name: string) => inRepository("examples", "scenarios", "the-vault", `${name}.mjs`)

describe("run --scenario FILE of several agents", () => {
  const log = ["--log", place.file("vault.db")]

  it("plays them by the programs that it names, or those of --agent NAME=FILE, and shows who does what", async () => {
    const { code, stdout, stderr } = await hindcast(["run", ...log, ...ROOMS, "--scenario", VAULT])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/ 1 {2}ann: text-rooms\/step .*read note/)
    expect(stdout).toContain("the scenario The Vault is won")

    const silent = place.file("silent.mjs", SILENT)
    const given = ["--agent", `ann=${silent}`, "--scenario", VAULT]
    const lost = await document(["run", ...log, ...ROOMS, ...given])
    expect(lost).toMatchObject({
      outcome: "failed",
      steps: 60,
      agents: { ann: { agent: "silent@1" }, ben: { agent: "seeker@1.0.0" } },
    })

    const { tasks } = (await document(["task", "ls", ...log])) as { tasks: ReadonlyArray<{ id: string }> }
    const played = ["--agent", `ann=${part("reader")}`, "--agent", `ben=${part("seeker")}`, ...log]
    const task = String(tasks[0]?.id)
    expect(await document(["replay", task, ...played])).toMatchObject({ verdict: "identical" })

    // One of them is replaced in a fork, and the other one goes on as it was.
    const steps = (await document(["log", "ls", ...log, "--task", task, "--type", "ActuatorCommanded"])) as {
      events: ReadonlyArray<{ position: number }>
    }
    const replaced = ["--agent", `ann=${part("reader")}`, "--agent", `ben=${silent}`, ...log]
    const forking = ["fork", `@${(steps.events[2]?.position ?? 0) - 1}`, "--task", task]
    const forked = await document([...forking, ...replaced, "--timeline", "silent"])
    expect(forked).toMatchObject({ audit: { outcome: "failed", agents: { ben: { outcome: "failed" } } } })
    expect(await document(["replay", task, ...replaced, "--timeline", "silent"])).toMatchObject({
      verdict: "identical",
    })
    const alone = await hindcast([...forking, "--agent", `ben=${silent}`, ...log])
    expect(alone.stderr).toContain("expected an agent for each of ann, ben, found ben")
  })

  it("says which agent is missing, strange, without a name, or elsewhere", async () => {
    const alone = place.file("alone.yaml", fs.readFileSync(VAULT, "utf8").replaceAll(/^ +program: .*\n/gm, ""))
    const saying = async (...args: ReadonlyArray<string>) => (await hindcast(["run", ...log, ...ROOMS, ...args])).stderr
    expect(await saying("--agent", `ann=${part("reader")}`, "--scenario", alone)).toContain(
      "--agent, --model: expected an agent for each of ann, ben: NAME=FILE, found none for ben",
    )
    expect(await saying("--agent", `eve=${part("reader")}`, "--scenario", VAULT)).toContain(
      "expected agents of the scenario (ann, ben), found eve",
    )
    expect(await saying("--agent", part("reader"), "--agent", part("seeker"), "--scenario", VAULT)).toContain(
      "expected a name for each of several agents, as NAME=FILE or NAME=provider/model, found one without",
    )
    const outside = place.file(
      "outside.yaml",
      fs.readFileSync(VAULT, "utf8").replace("the-vault/reader.mjs", "../x.mjs"),
    )
    expect(await saying("--scenario", outside)).toContain(
      "the program of ann: expected a module in the scenario's directory, or below it, found ../x.mjs",
    )
  })

  it("lets agents with names play any world for several, without a scenario", async () => {
    const named = ["--agent", `ann=${part("seeker")}`, "--agent", `ben=${place.file("silent.mjs", SILENT)}`]
    const audit = await document(["run", ...log, ...ROOMS, ...named, "--goal", "Look around", "--max-steps", "3"])
    expect(audit).toMatchObject({
      outcome: "truncated",
      steps: 6,
      agents: { ann: { commanded: 3 }, ben: { commanded: 3 } },
    })
  })
})
