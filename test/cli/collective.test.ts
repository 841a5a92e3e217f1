/** `hindcast audit TASK --collective` of a game of two agents. */
import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)
const at = { cwd: place.directory }
const log = place.file("log.db")

const player = (name: string, action: string) => {
  const decide = `let n = 0\nexport default { name: "${name}", version: "1", decide: () => ({ act: "prisoners-dilemma/step", args: { action: ${action} } }) }`
  fs.writeFileSync(place.file(`${name}.mjs`), decide)
  return ["--agent", `${name}=${place.file(`${name}.mjs`)}`]
}

beforeAll(async () => {
  const agents = [...player("ann", "n++ % 2"), ...player("ben", "0")]
  const plugin = ["--plugin", inRepository("packages/worlds/prisoners-dilemma")]
  const { code, stderr } = await hindcast(
    ["run", ...plugin, ...agents, "--goal", "g", "--max-steps", "16", "--log", log],
    at,
  )
  expect([code, stderr]).toEqual([0, ""])
}, 120_000)

const audit = (...words: ReadonlyArray<string>) => hindcast(["audit", "last", ...words, "--log", log], at)

describe("hindcast audit --collective", () => {
  it("tells cooperation over time where somebody says what it is, and that it is unknown otherwise", async () => {
    const found = await document(
      ["audit", "last", "--collective", "--cooperative", "prisoners-dilemma/step 0", "--log", log],
      at,
    )
    expect(found).toMatchObject({ agents: ["ann", "ben"], speech: [], influence: [] })
    const periods = found.periods as ReadonlyArray<{ readonly commands: number; readonly cooperative: number | null }>
    const sum = (key: "commands" | "cooperative") => periods.reduce((all, one) => all + (one[key] ?? 0), 0)
    expect(sum("cooperative")).toBe(sum("commands") * 0.75)
    const { stdout } = await audit("--collective")
    expect(stdout).toContain("who influenced whom is unknown")
    expect(stdout).toContain("--cooperative names them, such as 'prisoners-dilemma/step 0'")
    expect((await audit("--collective", "--markdown")).stdout).toContain("## Over time")
  })

  it.each([
    [["--collective", "--cooperative", "prisoners-dilemma/step 2"], "expected an action of the task"],
    [["--cooperative", "prisoners-dilemma/step 0"], "expected it with --collective"],
  ])("refuses %j", async (words, said) => {
    const { code, stderr } = await audit(...words)
    expect([code, stderr]).toEqual([1, expect.stringContaining(said)])
  })

  it("is refused for all tasks, and for a task of one agent", async () => {
    const all = await hindcast(["audit", "--all", "--collective", "--log", log], at)
    expect(all.stderr).toContain("--collective: expected it with a task")
    fs.writeFileSync(
      place.file("one.mjs"),
      'export default { name: "one", version: "1", decide: () => ({ done: "achieved", reason: "r" }) }',
    )
    await hindcast(["run", "--agent", place.file("one.mjs"), "--goal", "g", "--log", log], at)
    const { code, stderr } = await audit("--collective")
    expect([code, stderr]).toEqual([1, expect.stringContaining("expected a task with several agents")])
  })
})
