import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import { MAIN } from "../built.ts"
import { writePlugin } from "../kernel/given.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, start } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const WRITER = `
export default {
  name: "writer",
  version: "1",
  decide({ step, lastOutcome }) {
    if (step === 0) return { act: "workspace/write_file", args: { path: "a.txt", content: "hello" } }
    return { done: lastOutcome.status === "succeeded" ? "achieved" : "failed" }
  },
}
setInterval(() => {}, 1000)
`

/** An agent that writes a file, which is risky: a person is asked. It also keeps a timer running, which must not matter. */
const writing = (log: string, ...more: ReadonlyArray<string>) => [
  ...["run", "--log", place.file(log), "--agent", place.file("writer.mjs", WRITER), "--goal", "Write"],
  ...["--plugin", inRepository("plugins", "workspace"), "--workspace", workspace(), ...more],
]

const workspace = () => {
  const directory = place.file("workspace")
  fs.mkdirSync(directory, { recursive: true })
  return directory
}

/** The first confirmation that waits in a log; asked for until there is one, or the run that should ask has ended. */
const waiting = async (log: string, { child }: ReturnType<typeof start>): Promise<string> => {
  while (child.exitCode === null) {
    const { code, stdout } = await hindcast(["confirm", "ls", "--log", place.file(log), "--json"])
    const [first] = code === 0 ? JSON.parse(stdout).confirmations : []
    if (first !== undefined) return first.id
  }
  throw new Error("the run ended without a question")
}

describe("run", () => {
  it("prints what a first import is granted, a line for each step, then the audit", async () => {
    const room = inRepository("plugins", "text-room")
    const run = () =>
      hindcast([
        ...["run", "--log", place.file("steps.db"), "--agent", inRepository("examples", "agents", "knows-the-way.mjs")],
        ...["--goal", "Find it", "--plugin", room],
      ])
    const { code, stdout, stderr } = await run()
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const [imported = "", ...rest] = stdout.split("\n\n")
    expect(imported.split("\n").slice(1)).toEqual([
      '  2 sensors, 9 actuators, 4 measures, environment "Text room"',
      "  asks for no permission",
      `  from the directory ${room}`,
      "Imported; it is active.",
    ])
    const lines = rest.join("\n\n").split("\n")
    expect(lines[0]).toMatch(/^Task \S+ @\d+$/)
    expect(lines[1]).toMatch(/^ {2}1 {2}text-room\/open \{"target":"desk"\} {2}failed: locked: .* @\d+$/)
    expect(lines[2]).toMatch(/^ {2}2 {2}text-room\/go \{"direction":"north"\} {2}succeeded in .* ms {2}@\d+$/)
    expect(lines.slice(9, 12)).toEqual(["", expect.stringMatching(/^Task /), "  goal        Find it"])
    expect((await run()).stdout).toMatch(/^Task \S+ @\d+\n/)
  })

  it("stops at --max-steps, and repeats itself with the same --seed", async () => {
    const wander = (log: string) =>
      document([
        ...["run", "--log", place.file(log), "--agent", inRepository("examples", "agents", "wanderer.mjs")],
        ...["--goal", "Wander", "--plugin", inRepository("plugins", "text-room"), "--seed", "11", "--max-steps", "5"],
      ])
    const choices = async (log: string) => {
      const { events } = await document(["log", "ls", "--type", "DecisionMade", "--log", place.file(log)])
      return (events as ReadonlyArray<{ payload: { choice: unknown } }>).map(({ payload }) => payload.choice)
    }
    expect(await wander("a.db")).toMatchObject({ outcome: "truncated", steps: 5 })
    await wander("b.db")
    expect(await choices("a.db")).toEqual(await choices("b.db"))
  })

  it("resets a world with --seed as it is, and lets its agent take as many steps as an episode may have", async () => {
    const log = place.file("cart.db")
    const cart = inRepository("packages", "worlds", "cart-pole")
    const agent = place.file(
      "looks.mjs",
      'export default { name: "looks", version: "1", decide: () => ({ done: "abandoned" }) }',
    )
    const run = ["run", "--log", log, "--agent", agent, "--goal", "Balance", "--plugin", cart, "--seed", "42"]
    expect(await document([...run, "--sandbox", "flags"])).toMatchObject({ outcome: "abandoned", steps: 0 })
    const { events } = await document(["log", "ls", "--type", "SensorRead", "--type", "TaskOpened", "--log", log])
    expect(events).toMatchObject([
      { payload: { seed: 42, limits: { maxSteps: 500 } } },
      // Gymnasium's `env.reset(seed=42)`.
      { payload: { reading: [0.027395604, -0.006112156, 0.035859793, 0.019736802].map(Math.fround) } },
    ])
  })

  it("decides with what its sensors said within --deadline, and shows which did not", async () => {
    const silent = {
      name: "silent",
      entry: "export default { sensors: { first: () => new Promise(() => {}), then: () => 1 } }",
      sensors: [{ name: "first", priority: 2 }, { name: "then" }],
    }
    const agent = place.file(
      "content.mjs",
      'export default { name: "content", version: "1", decide: () => ({ done: "achieved" }) }',
    )
    const { code, stdout } = await hindcast([
      ...["run", "--log", place.file("deadline.db"), "--agent", agent, "--goal", "Be quick", "--deadline", "0.5"],
      ...["--plugin", writePlugin(place.file("silent"), silent), "--sandbox", "flags"],
    ])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ {5}silent\/first {2}failed: DeadlinePassed: .* within 500 ms {2}@\d+$/m)
    expect(stdout).toMatch(/^ {5}silent\/then {2}skipped: the deadline came before its turn {2}@\d+$/m)
  })

  it("gives a scenario to the plugin that has an environment, or to the one that is named", async () => {
    const scenario = inRepository("plugins", "text-room", "scenarios", "the-lost-key.yaml")
    const text = fs.readFileSync(scenario, "utf8").replace("The Lost Key", "Another Name")
    const file = place.file("with=sign.yaml", text)
    for (const [log, named] of [
      ["one.db", file],
      ["two.db", `text-room=${file}`],
    ] as const) {
      await document([
        ...["run", "--log", place.file(log), "--agent", inRepository("examples", "agents", "knows-the-way.mjs")],
        ...["--goal", "g", "--plugin", inRepository("plugins", "text-room"), "--scenario", named],
      ])
      const { events } = await document(["log", "ls", "--type", "EnvironmentReset", "--log", place.file(log)])
      expect(events).toMatchObject([{ payload: { options: { scenario_name: "Another Name" } } }])
    }
  })

  it("needs no --plugin for one that is in the log", async () => {
    const log = ["--log", place.file("known.db")]
    await document(["plugin", "add", inRepository("plugins", "text-room"), ...log])
    const agent = inRepository("examples", "agents", "knows-the-way.mjs")
    expect(await document(["run", "--agent", agent, "--goal", "g", ...log])).toMatchObject({ outcome: "achieved" })
  })

  it("warns where no plugin takes part", async () => {
    const agent = inRepository("examples", "agents", "wanderer.mjs")
    const { stderr } = await hindcast([
      ...["run", "--log", place.file("alone.db"), "--agent", agent, "--goal", "g", "--max-steps", "1"],
    ])
    expect(stderr).toMatch(/^warning: no plugin is active\. .*--plugin DIR/m)
  })

  it("names the task of an agent that fails, which is closed as failed", async () => {
    for (const [log, decide] of [
      ["throws.db", 'throw new Error("out of ideas")'],
      ["chooses.db", "return { dance: true }"],
    ] as const) {
      const agent = place.file(`${log}.mjs`, `export default { name: "x", version: "1", decide() { ${decide} } }`)
      const room = ["--plugin", inRepository("plugins", "text-room")]
      const run = ["run", "--log", place.file(log), "--agent", agent, "--goal", "g", ...room]
      const { code, stderr } = await hindcast(run)
      const [, id = ""] = /`node \S+main\.js audit (\S+) --log \S+`/.exec(stderr) ?? []
      expect(code).toBe(1)
      expect(await document(["audit", id, "--log", place.file(log)])).toMatchObject({
        outcome: "failed",
        scores: [{ label: "live" }],
      })
      expect(JSON.parse((await hindcast([...run, "--json"])).stderr).error.tag).toBe("AgentFailed")
    }
  })

  it("tells who holds the log where another kernel is at work", async () => {
    const first = start(writing("held.db"))
    await waiting("held.db", first)
    const second = await hindcast(writing("held.db"))
    first.child.kill("SIGINT")
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(`process ${first.child.pid}`) })
    expect((await first.ended).code).toBe(130)
    const { tasks } = await document(["task", "ls", "--log", place.file("held.db")])
    expect(tasks).toMatchObject([{ outcome: "abandoned" }])
  })
})

describe("the gate", () => {
  it("asks nobody without a terminal: a line says how to answer, and no answer is a no", async () => {
    const { code, stdout, stderr } = await hindcast(writing("expired.db", "--confirm-within", "0.3"))
    expect(code).toBe(0)
    const [first, ...others] = stderr.trimEnd().split("\n")
    expect(first).toMatch(/^Waiting \d+ ms for a person\. writer@1: Write asks for:$/)
    expect(others.slice(0, 3)).toEqual([
      "  actuator      workspace/write_file",
      '  args          {"path":"a.txt","content":"hello"}',
      "  risk          high",
    ])
    expect(others[3]).toMatch(/^ {2}description {3}Write a text file/)
    expect(others[4]).toMatch(/^ {2}plugin {8}workspace \S+$/)
    expect(others[5]).toMatch(/^ {2}pluginDigest {2}[0-9a-f]{64}$/)
    expect(others.splice(6, 2)).toEqual([
      expect.stringMatching(/^ {2}rule {10}\S/),
      expect.stringMatching(/^ {2}reason {8}\S/),
    ])
    expect(others[6]).toMatch(/^To answer: node \S+main\.js confirm approve \S+ --log \S+expired\.db$/)
    expect(others[7]).toMatch(/^ {7}or: node \S+main\.js confirm reject \S+ --log \S+expired\.db$/)
    expect(stdout).toMatch(/^ {2}write +\. +\S+workspace$/m)
    expect(stdout).toMatch(/workspace\/write_file .* expired: nobody decided in time/)
    expect(stdout).not.toContain("denied:")
    expect(stdout).toMatch(/outcome\s+failed/)
  })

  it("hears an answer from another process, which may shorten the id", async () => {
    for (const [log, word, outcome] of [
      ["approved.db", "approve", "achieved"],
      ["rejected.db", "reject", "failed"],
    ] as const) {
      const running = start(writing(log, "--json"))
      const id = await waiting(log, running)
      const { stdout: listed } = await hindcast(["confirm", "ls", "--log", place.file(log)])
      expect(listed).toMatch(/^ {2}asked @\d+ by writer@1: Write$/m)
      const unasked = word === "approve" ? ["--yes"] : []
      const answer = ["confirm", word, id.slice(-8), ...unasked, "--reason", "because", "--log", place.file(log)]
      expect(await document(answer)).toMatchObject({
        confirmationId: id,
        position: expect.any(Number),
        ...(word === "approve"
          ? { approved: true, running: true, shown: { args: { path: "a.txt", content: "hello" } } }
          : { approved: false }),
      })
      const late = await hindcast(answer)
      expect(late).toMatchObject({ code: 3, stderr: expect.stringContaining(id) })
      expect(late.stderr).toMatch(
        new RegExp(`found one that \\S+ ${outcome === "achieved" ? "approved" : "rejected"} at @`),
      )
      const { code, stdout } = await running.ended
      expect({ code, outcome: JSON.parse(stdout).outcome }).toEqual({ code: 0, outcome })
    }
  })

  it("can let all pass, or nothing", async () => {
    expect(await document(writing("allow.db", "--gate", "allow"))).toMatchObject({ outcome: "achieved" })
    expect(await document(writing("deny.db", "--gate=deny"))).toMatchObject({ acting: { denied: 1 } })
  })

  it.runIf(spawnSync("script", ["--version"]).status === 0)("asks the person at the terminal", async () => {
    const typed = async (log: string, answer: string, early = "") => {
      const command = [process.execPath, MAIN, ...writing(log)].map((word) => `'${word}'`).join(" ")
      const child = spawn("script", ["-qec", command, "/dev/null"], { stdio: ["pipe", "pipe", "ignore"] })
      child.stdin.write(early)
      let output = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        if (!output.includes("[y/N]") && (output + text).includes("[y/N]")) child.stdin.write(`${answer}\n`)
        output += text
      })
      await new Promise((resolve) => child.on("close", resolve))
      const { events } = await document(["log", "ls", "--type", "ConfirmationDecided", "--log", place.file(log)])
      return { output, events }
    }
    const yes = await typed("yes.db", "y")
    expect(yes.output).toContain('"content":"hello"')
    expect(yes.output).toMatch(/writer@1: Write\r?\nasks for, until \S+Z \([\d.]+ s left\):/)
    expect(yes.events).toMatchObject([
      { actor: expect.stringMatching(/^human:/), payload: { approved: true, channel: "terminal" } },
    ])
    expect((await typed("no.db", "")).events).toMatchObject([{ payload: { approved: false } }])
    // Typed before there was a question.
    expect((await typed("early.db", "", "y\ny\n")).events).toMatchObject([{ payload: { approved: false } }])
  })
})
