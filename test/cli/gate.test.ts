import * as fs from "node:fs"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { digest } from "../../src/values/Digest.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const log = place.file("sessions.db")
const rules = place.file("hindcast.gate.yaml")

const LINES: ReadonlyArray<readonly [line: string, approved: boolean]> = [
  ["npm test", true],
  ["npm test", true],
  ["npm test", true],
  ["git push --force", false],
]

beforeAll(() =>
  Effect.runPromise(
    Effect.gen(function* () {
      const events = yield* EventLog
      for (const [index, [line, approved]] of LINES.entries()) {
        const args = { command: line }
        const commandId = `c${index}`
        const confirmationId = `019fffff-0000-7000-8000-00000000000${index}`
        const shared = { argsDigest: digest(args) }
        const commanded = { commandId, actuator: "claude-code/Bash", args, priority: 0, ...shared }
        yield* events.append({
          stream: "task/t",
          taskId: "t",
          actor: "agent:claude-code",
          events: [{ type: "ActuatorCommanded", payload: commanded }],
        })
        yield* events.append({
          stream: `confirmation/${confirmationId}`,
          taskId: "t",
          actor: "kernel",
          events: [
            {
              type: "ConfirmationRequested",
              payload: { confirmationId, commandId, shown: {}, expiresAt: 1, ...shared },
            },
            {
              type: "ConfirmationDecided",
              payload: { confirmationId, approved, by: "ann", channel: "cli", waitedMs: 1, ...shared },
            },
          ],
        })
      }
    }).pipe(Effect.provide(layerSqlite({ filename: log }))),
  ),
)

/** The tried commands in the JSON output. */
const commandsOf = async (...more: ReadonlyArray<string>) =>
  (await document(["gate", "try", "--rules", rules, "--log", log, ...more])).commands as ReadonlyArray<
    Record<string, unknown>
  >

describe("hindcast gate try", () => {
  it("shows what rules would have decided, next to what happened, and the differences", async () => {
    fs.writeFileSync(rules, "rules:\n  - { name: git, shell: ['git *'], decision: allow }\ndefault: deny\n")
    const { stdout, code } = await hindcast(["gate", "try", "--rules", rules, "--log", log])
    expect(code).toBe(0)
    expect(stdout).toContain("on 4 commands of 1 task, @1 to @12")
    expect(stdout).toMatch(/approved by a person +– +– +3/)
    expect(stdout).toMatch(/refused by a person +1 +– +–/)
    expect(stdout).toMatch(/Ran, and these rules would deny it:\n +@1 +claude-code\/Bash .*npm test.* +3 ×/)
    expect(stdout).toMatch(/Refused, and these rules would allow it:\n +@10 +claude-code\/Bash .*git push/)
    expect(await commandsOf("--since", "@9")).toMatchObject([
      { position: 10, past: "rejected", decision: "allow", rule: "git", by: "ann" },
    ])
    expect(await commandsOf("--since", "30d")).toHaveLength(4)
  })

  it("fails where there is nothing to try, and where rules or times are invalid", async () => {
    const none = await hindcast(["gate", "try", "--rules", rules, "--log", log, "--actuator", "codex/*"])
    expect([none.code, none.stderr]).toEqual([3, expect.stringContaining("a recorded command to try the rules on")])
    const late = await hindcast(["gate", "try", "--rules", rules, "--log", log, "--since", "now"])
    expect(late.stderr).toContain("none between @12 and @12")
    fs.writeFileSync(place.file("bad.yaml"), "rules:\n  - { name: git, shell: 'git *', decision: perhaps }\n")
    const bad = await hindcast(["gate", "try", "--rules", place.file("bad.yaml"), "--log", log])
    expect(bad.code).toBe(1)
    expect(bad.stderr).toContain("bad.yaml")
    const when = await hindcast(["gate", "try", "--rules", rules, "--log", log, "--since", "30y"])
    expect([when.code, when.stderr]).toEqual([1, expect.stringContaining('"30y"')])
    expect((await hindcast(["gate", "try", "--rules", place.file("gone.yaml"), "--log", log])).code).toBe(3)
  })
})

describe("hindcast gate suggest", () => {
  it("writes a file of rules with the evidence, which the gate accepts", async () => {
    const { stdout } = await hindcast(["gate", "suggest", "--log", log])
    expect(stdout).toContain("# approved 3 times, never refused: @1 @4 @7")
    expect(stdout).toContain("# never approved, refused once: @10")
    expect(stdout).toContain(`main.js gate try --rules hindcast.gate.yaml --log ${log}\``)
    fs.writeFileSync(rules, stdout)
    expect((await commandsOf()).map(({ decision }) => decision)).toEqual(["allow", "allow", "allow", "deny"])
  })

  it("fails where nobody decided anything", async () => {
    const { code, stderr } = await hindcast(["gate", "suggest", "--log", log, "--until", "@0"])
    expect([code, stderr]).toEqual([3, expect.stringContaining("none between @0 and @0")])
  })
})
