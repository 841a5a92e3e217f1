import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import * as HookLog from "../../../src/hooks/HookLog.ts"
import * as HookSettings from "../../../src/hooks/HookSettings.ts"
import { inRepository } from "../../repository.ts"
import { workplace } from "../../workplace.ts"
import { hindcast } from "../hindcast.ts"
import * as Session from "./session.ts"

const place = workplace()
afterAll(place.remove)

const env = { HINDCAST_STATE: place.file("state"), HINDCAST_LOG: undefined }

/** Runs with the store of the test as this user's own. */
const withStore = <A>(work: () => A): A => {
  const before = process.env.HINDCAST_STATE
  process.env.HINDCAST_STATE = env.HINDCAST_STATE
  try {
    return work()
  } finally {
    process.env.HINDCAST_STATE = before
  }
}

describe("the log of commands about sessions of coding agents", () => {
  it("is the one of the hooks where none is named and the directory has none", async () => {
    expect(withStore(HookLog.existing)).toBeUndefined()
    const log = place.file("hooked.db")
    const made = await Session.project(undefined, { log })
    made.write("a.txt", "one\n")
    const { prompt, call } = made.session()
    await prompt("write it")
    await call("Bash", { command: "write it" }, () => made.write("a.txt", "two\n"))
    await made.close()

    const shown = () => hindcast(["files", "show", "a.txt"], { cwd: made.root, env })
    expect(await shown()).toMatchObject({ code: 3, stderr: expect.stringContaining("expected a log") })
    withStore(() => HookSettings.write({ log }))
    expect(await shown()).toMatchObject({ code: 0, stdout: "two\n" })

    const rules = place.file("rules.yaml")
    fs.writeFileSync(rules, "default: deny\n")
    const tried = await hindcast(["gate", "try", "--rules", rules, "--json"], { cwd: made.root, env })
    expect(JSON.parse(tried.stdout)).toMatchObject({ commands: [{ decision: "deny" }] })

    // Whatever looks at a log looks there, and says so.
    const listed = await hindcast(["task", "ls"], { cwd: made.root, env })
    expect(listed).toMatchObject({ code: 0 })
    expect(listed.stdout).toContain("claude-code-")
    const waiting = await hindcast(["confirm", "ls"], { cwd: made.root, env })
    expect(waiting).toMatchObject({ code: 0, stdout: "Nothing is waiting for a person.\n" })

    // A log of the directory's own comes first. What it lacks, the hooks' log may have.
    const own = path.join(made.root, ".hindcast", "log.db")
    const session = inRepository("test/importing/sessions/1-tools-deny-subagent.jsonl")
    expect(await hindcast(["import", session], { cwd: made.root, env })).toMatchObject({ code: 0 })
    const missing = await shown()
    expect(missing.code).toBe(3)
    expect(missing.stderr.replaceAll(/\s+/g, " ")).toMatch(
      /This is about .hindcast\/log\.db\. For the sessions that hooks recorded: `\S+ ?\S* files show a\.txt --log \S+hooked\.db`/,
    )
    expect((await hindcast(["confirm", "ls"], { cwd: made.root, env })).stdout).toMatch(/confirm ls --log \S+hooked.db/)
    fs.rmSync(own)

    fs.writeFileSync(own, "")
    expect((await shown()).code).not.toBe(0)
  })

  it("is not taken from damaged settings, nor if it is gone", () => {
    withStore(() => HookSettings.write({ log: place.file("none.db") }))
    expect(withStore(HookLog.existing)).toBeUndefined()
    const settings = path.join(env.HINDCAST_STATE, "hooks", HookLog.SETTINGS)
    for (const text of ["{", "null", '{"log": 1}']) {
      fs.writeFileSync(settings, text)
      expect(withStore(HookLog.existing)).toBeUndefined()
    }
  })
})
