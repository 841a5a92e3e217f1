import * as fs from "node:fs"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Gate from "../../../src/kernel/gate/Gate.ts"
import * as GateSuggestions from "../../../src/kernel/gate/GateSuggestions.ts"
import * as GateTrial from "../../../src/kernel/gate/GateTrial.ts"
import type { Json } from "../../../src/values/Json.ts"
import { event, inTask, place, type Unplaced } from "../../projections/given.ts"
import { inRepository } from "../../repository.ts"

const sha = "0".repeat(64)

const asked = (commandId: string, actuator: string, args: Json, observed = false): Unplaced =>
  event("ActuatorCommanded", {
    commandId,
    actuator,
    args,
    argsDigest: sha,
    priority: 0,
    ...(observed ? { observed: true as const } : {}),
  })

const question = (commandId: string): Unplaced =>
  event("ConfirmationRequested", {
    confirmationId: `q-${commandId}`,
    commandId,
    argsDigest: sha,
    shown: {},
    expiresAt: 0,
  })

const decided = (commandId: string, approved: boolean): Unplaced =>
  event("ConfirmationDecided", {
    confirmationId: `q-${commandId}`,
    approved,
    by: "ann",
    channel: "cli",
    argsDigest: sha,
    waitedMs: 5,
  })

const allowed = (commandId: string): Unplaced => event("CommandAllowed", { commandId, rule: "all" })

/** A shell line that a person decided about. */
const shell = (id: string, command: string, approved: boolean): ReadonlyArray<Unplaced> => [
  asked(id, "claude-code/Bash", { command }),
  question(id),
  decided(id, approved),
  ...(approved ? [allowed(id)] : [event("CommandDenied", { commandId: id, rule: "rejected", reason: "no" })]),
]

const tried = (gate: Gate.GateConfig, events: ReadonlyArray<Unplaced>) => {
  const trial = GateTrial.make(gate, () => true)
  for (const one of place(events)) trial.take(one)
  return trial.commands()
}

const RULES: Gate.GateConfig = {
  rules: [
    { name: "no-deleting", shell: ["rm *"], decision: "deny" },
    { name: "little-risk", risk: ["none", "low"], decision: "allow" },
    { name: "tests", shell: ["npm test"], decision: "allow" },
  ],
  default: "confirm",
}

describe("a trial of gate rules on recorded commands", () => {
  it("leaves out what Hindcast itself did with files", () => {
    const opened = event("TaskOpened", { goal: "x", agent: "files-bisect", measures: [], plugins: [] })
    const command = asked("own", "hindcast/run", { command: "npm test" }, true)
    const events = inTask("search", [opened, command])
    expect(tried(RULES, [...events, asked("c", "a/b", {})]).map(({ actuator }) => actuator)).toEqual(["a/b"])
  })

  it("has each ruling next to what happened, and who decided", () => {
    const found = tried(RULES, [
      asked("a", "claude-code/Bash", { command: "rm -rf build" }),
      allowed("a"),
      ...shell("b", "npm test", true),
      ...shell("c", "npm test", false),
      asked("d", "claude-code/Read", { file_path: "a.ts" }, true),
      allowed("d"),
      asked("e", "claude-code/Bash", { command: "ls" }),
      question("e"),
      event("ConfirmationExpired", { confirmationId: "q-e" }),
      event("CommandDenied", { commandId: "e", rule: "expired", reason: "nobody answered" }),
      asked("f", "claude-code/Bash", { command: "ls" }),
      event("CommandDenied", { commandId: "f", rule: "night", reason: "it is late" }),
      asked("g", "claude-code/Bash", { command: "ls" }),
    ])
    expect(found.map(({ past, by, ruling }) => [past, by, ruling.decision, ruling.rule])).toEqual([
      ["allowed", "all", "deny", "no-deleting"],
      ["approved", "ann", "allow", "tests"],
      ["rejected", "ann", "allow", "tests"],
      ["observed", undefined, "confirm", "default"],
      ["expired", undefined, "confirm", "default"],
      ["denied", "night", "confirm", "default"],
      ["undecided", undefined, "confirm", "default"],
    ])
  })

  it("never allows by arguments that the log does not have", () => {
    const gate: Gate.GateConfig = {
      rules: [{ name: "tests", shell: ["npm test"], decision: "allow" }],
      default: "deny",
    }
    const lost: ReadonlyArray<Json> = [null, { omitted: "1 MB, shortened" }]
    const found = tried(
      gate,
      lost.map((args, index) => asked(String(index), "claude-code/Bash", args)),
    )
    expect(found.map(({ args, ruling }) => [args, ruling.decision])).toEqual([
      [undefined, "deny"],
      [undefined, "deny"],
    ])
    expect(tried(RULES, [asked("x", "claude-code/Bash", null)])[0]?.ruling).toMatchObject({ decision: "deny" })
  })

  it("rules by the risk that the plugin had when the command was requested", () => {
    const manifest = JSON.parse(fs.readFileSync(inRepository("plugins", "text-room", "looper-plugin.json"), "utf8"))
    const imported = (grants: { readonly run?: ReadonlyArray<string> }): Unplaced =>
      event("PluginImported", {
        plugin: "text-room",
        version: "1.0.0",
        digest: sha,
        source: "/text-room",
        manifest,
        grants: { read: [], write: [], net: [], run: grants.run ?? [], runAny: false, env: [] } as never,
      })
    const found = tried(RULES, [
      asked("a", "text-room/look", {}),
      imported({}),
      asked("b", "text-room/look", {}),
      imported({ run: ["git"] }),
      asked("c", "text-room/look", {}),
    ])
    expect(found.map(({ ruling }) => ruling.rule)).toEqual(["default", "little-risk", "default"])
  })

  it("tries only the commands that are wanted", () => {
    const trial = GateTrial.make(RULES, ({ position }) => position > 2)
    for (const one of place([asked("a", "x/y", {}), allowed("a"), asked("b", "x/y", {})])) trial.take(one)
    expect(trial.commands().map(({ position }) => position)).toEqual([3])
  })

  it("reads every type of event that it depends on", () => {
    const events = place([...shell("a", "ls", true), asked("b", "x/y", {}, true)])
    expect(events.filter(({ type }) => !GateTrial.types.includes(type))).toEqual([])
  })
})

describe("proposed gate rules", () => {
  const suggested = (events: ReadonlyArray<Unplaced>, atLeast = 3) =>
    GateSuggestions.of(tried(Gate.standard, events), atLeast)

  it("allow what was approved often enough and never refused; refusals come first", () => {
    const found = suggested([
      ...["a", "b", "c"].flatMap((id) => shell(id, "npm test && git status", true)),
      ...shell("d", "git push --force", false),
      ...shell("e", "npm install", true),
      ...shell("f", "npm install", false),
      ...shell("g", "npm run build", true),
    ])
    expect(found.rules.map(({ rule }) => rule)).toEqual([
      {
        name: "deny-bash-git-push-force",
        actuator: "claude-code/Bash",
        shell: ["git push --force"],
        decision: "deny",
      },
      { name: "confirm-bash-npm-install", actuator: "claude-code/Bash", shell: ["npm install"], decision: "confirm" },
      {
        name: "allow-bash-npm-test-git-status",
        actuator: "claude-code/Bash",
        shell: ["npm test", "git status"],
        decision: "allow",
      },
    ])
    expect(found.left).toEqual([{ actuator: "claude-code/Bash", commands: 1, because: "approved once, fewer than 3" }])
    expect(found.decided).toBe(7)
  })

  it("are about the same file, and about nothing that a pattern would widen", () => {
    const edit = (id: string, args: Json): ReadonlyArray<Unplaced> => [
      asked(id, "claude-code/Edit", args),
      question(id),
      decided(id, true),
    ]
    const found = suggested(
      [
        ...edit("a", { file_path: "/repo/a.ts", new_string: "1" }),
        ...edit("b", { file_path: "/repo/a.ts", new_string: "2" }),
        ...edit("c", { file_path: "/repo/*.ts" }),
        ...edit("d", { other: 1 }),
        ...edit("e", null),
        ...shell("f", "rm *", true),
        ...shell("g", 'node -e "$CODE" > out.txt', true),
        ...shell("h", 'eval "$CODE"', true),
      ],
      1,
    )
    expect(found.rules.map(({ rule, evidence }) => [rule.args ?? rule.shell, evidence])).toEqual([
      [{ file_path: "/repo/a.ts" }, [1, 4]],
    ])
    expect(found.left.map(({ because }) => because)).toEqual([
      "a star in an argument would match other arguments",
      "no rule can name what they work on",
      "the log does not have their whole arguments",
      "a star in the line would match other commands",
      "the line writes a file",
      "the line hides what it runs",
    ])
  })

  it("make a gate that is valid, and that allows no line which nobody approved", () => {
    const words = fc.constantFrom("npm test", "ls -l", "git push", "rm x", "a; b", "c && ls -l", "x > y", "$Z", "")
    fc.assert(
      fc.property(fc.array(fc.tuple(words, fc.boolean()), { maxLength: 12 }), words, (history, line) => {
        const events = history.flatMap(([command, approved], index) => shell(String(index), command, approved))
        const rules = suggested(events, 1).rules.map(({ rule }) => rule)
        const gate: Gate.GateConfig = { rules, default: "confirm" }
        const { decision } = Gate.decide(gate, {
          actuator: "claude-code/Bash",
          risk: undefined,
          args: { command: line },
        })
        const parts = new Set(history.filter(([, approved]) => approved).flatMap(([text]) => text.split(/; | && /)))
        if (decision === "allow") expect(line.split(/; | && /).filter((part) => !parts.has(part))).toEqual([])
        expect(Gate.decide(gate, { actuator: "x/y", risk: undefined }).rule).not.toBe(Gate.INVALID_GATE_RULE)
      }),
    )
  })
})
