import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, playLostKey, start } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const log = ["--log", place.file("log.db")]

let task: string
/** Where the fifth decision of the task stands. */
let fifth: number

beforeAll(async () => {
  task = await playLostKey(place.file("log.db"))
  const { events } = await document(["log", "ls", "--type", "DecisionMade", ...log])
  fifth = (events as ReadonlyArray<{ position: number }>)[4]?.position ?? 0
})

/** The example agent, which at its fifth decision does what the code says. */
const otherwise = (name: string, code: string) =>
  place.file(
    `${name}.mjs`,
    fs
      .readFileSync(inRepository("examples", "agents", "knows-the-way.mjs"), "utf8")
      .replace("export default {", "const inner = {")
      .concat(
        `\nexport default { ...inner, name: ${JSON.stringify(name)}, decide: (view) => { if (view.step === 4) { ${code} } return inner.decide(view) } }\n`,
      ),
  )

describe("replay of an agent that fails or does not answer", () => {
  it("names the decision at which it threw, and the fork that it offers lets the mended agent decide there", async () => {
    const failing = otherwise("failing", `throw new Error("lost my way")`)
    const { code, stdout, stderr } = await hindcast(["replay", task, "--agent", failing, ...log])
    expect(code).toBe(2)
    expect(stdout.split("\n").slice(0, 5)).toEqual([
      expect.stringMatching(new RegExp(`^Diverged @${fifth}: failing@1\\.0\\.0 acted differently`)),
      "",
      "kind      agent-failed",
      'recorded  text-room/go {"direction":"south"}',
      'now       throws "Agent failing@1.0.0 failed: lost my way"',
    ])
    const [, offered = ""] = /fork (@\d+ --task \S+) --agent FILE/.exec(stderr) ?? []
    expect(offered).toBe(`@${fifth - 1} --task ${task}`)
    const mended = otherwise("mended", `return { say: "I wait here." }`)
    const forked = [
      "fork",
      ...offered.split(" "),
      "--agent",
      mended,
      "--timeline",
      "mended",
      "--max-steps",
      "1",
      ...log,
    ]
    expect(await document(forked)).toMatchObject({ timeline: "mended", parted: null })
    const { events } = await document(["log", "ls", "--timeline", "mended", "--type", "DecisionMade", ...log])
    const choices = (events as ReadonlyArray<{ payload: { choice: unknown } }>).map(({ payload }) => payload.choice)
    expect(choices).toHaveLength(5)
    expect(choices.at(-1)).toEqual({ say: "I wait here." })
  })

  const silent = () => otherwise("silent", `process.stderr.write("thinking\\n"); return new Promise(() => {})`)

  it("diverges where it does not answer within the deadline", async () => {
    const { code, stdout, stderr } = await hindcast(["replay", task, "--agent", silent(), "--deadline", "0.2", ...log])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`diverged @${fifth} (no answer). `),
    })
    expect(stdout).toMatch(/^now {7}no decision within 200 ms$/m)
    const wrong = await hindcast(["replay", task, "--agent", silent(), "--deadline", "0", ...log])
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("expected a number above 0") })
  })

  it("says where it stood when it is interrupted", async () => {
    const stood = async (...more: ReadonlyArray<string>) => {
      const { child, ended } = start(["replay", task, "--agent", silent(), ...more, ...log])
      child.stderr.once("data", () => child.kill("SIGINT"))
      return ended
    }
    expect(await stood()).toEqual({
      code: 130,
      stdout: "",
      stderr: `thinking\nThe replay was @${fifth}, at decision 5 of 9. \`--deadline SECONDS\` ends one whose agent does not answer.\nerror: Interrupted.\n`,
    })
    const { code, stderr } = await stood("--json")
    expect(code).toBe(130)
    expect(JSON.parse(stderr.split("\n")[1] ?? "")).toEqual({ stood: { position: fifth, decision: 5, decisions: 9 } })
  })
})

describe("fork", () => {
  it("says where its agent would have decided otherwise before, and of what does not answer there", async () => {
    const parting = otherwise("parting", `return { act: "text-room/go", args: { direction: "up" } }`)
    const place = ["fork", `@${fifth + 8}`, "--task", task, "--io", "recorded", ...log]
    const { code, stdout } = await hindcast([...place, "--agent", parting, "--timeline", "parting"])
    expect(code).toBe(0)
    expect(stdout).toContain(
      `Diverged @${fifth}, before the fork: text-room/go {"direction":"south"} was recorded, but the agent decided text-room/go {"direction":"up"}. It decided differently in 1 of `,
    )
    const silent = otherwise("never", "return new Promise(() => {})")
    const refused = await hindcast([...place, "--agent", silent, "--timeline", "never", "--led-within", "0.2"])
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `diverged from the recording @${fifth} (no-answer), before the moment of the fork`,
      ),
    })
    expect((await hindcast(["log", "ls", "--timeline", "never", ...log])).code).toBe(3)
  })
})
