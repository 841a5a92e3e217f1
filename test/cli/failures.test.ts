import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { inRepository, isOpenToOthers } from "../repository.ts"
import { Database } from "../sqlite.ts"
import { workplace } from "../workplace.ts"
import { asLibraryWrites, hindcast, playLostKey } from "./hindcast.ts"

const place = workplace()
const log = place.file("log.db")

beforeAll(async () => {
  await playLostKey(log)
})
afterAll(place.remove)

/** Runs a command that has to fail, for programs; answers what it says. */
const failing = async (expected: { readonly code: number; readonly tag: string }, ...args: ReadonlyArray<string>) => {
  const program = args.includes("--") ? args.indexOf("--") : args.length
  const words = [...args.slice(0, program), "--json", ...args.slice(program)]
  const { code, stdout, stderr } = await hindcast(words, { cwd: place.directory })
  const { error } = JSON.parse(stderr)
  expect({ code, stdout, tag: error.tag }).toEqual({ ...expected, stdout: "" })
  return String(error.message)
}

const badInput = (tag: string, ...args: ReadonlyArray<string>) => failing({ code: 1, tag }, ...args)
const notFound = (tag: string, ...args: ReadonlyArray<string>) => failing({ code: 3, tag }, ...args)

describe("an error", () => {
  it("is one message for people, with commands to paste, and the same in JSON for programs, as the library says it", async () => {
    for (const args of [["audit", "no-such-task"], ["audit"], ["state", "--at", "@99999"]]) {
      const shown = await hindcast([...args, "--log", log])
      const { error } = JSON.parse((await hindcast([...args, "--log", log, "--json"])).stderr)
      expect(Object.keys(error)).toEqual(["tag", "message"])
      expect(shown.stdout).toBe("")
      expect(asLibraryWrites(shown.stderr)).toBe(`error: ${error.message}\n`)
      expect(shown.stderr).not.toMatch(/^\s+at /m)
    }
  })
})

describe("a log that is none", () => {
  it("is missing: exit 3, and nothing is made", async () => {
    expect(await notFound("LogMissing", "task", "ls")).toContain(".hindcast/log.db: expected a log, found no such file")
    expect(await notFound("LogMissing", "confirm", "approve", "x", "--log", "none.db")).toContain("--log FILE")
    expect(fs.existsSync(place.file(".hindcast"))).toBe(false)
    expect(fs.existsSync(place.file("none.db"))).toBe(false)
  })

  it("is not SQLite, or another program's SQLite, or empty: exit 1, and the file stays as it is", async () => {
    const text = place.file("text.db", "This is a letter, and not a database at all. ".repeat(20))
    const other = place.file("other.db")
    new Database(other).exec("CREATE TABLE theirs (a)").close()
    const empty = place.file("empty.db", "")
    for (const file of [text, other, empty]) {
      const before = fs.readFileSync(file)
      expect(await badInput("LogFormatUnsupported", "log", "ls", "--log", file)).toContain("expected a Hindcast log")
      expect(fs.readFileSync(file).equals(before)).toBe(true)
    }
    expect(await badInput("LogFormatUnsupported", "plugin", "remove", "x", "--log", other)).toContain("another program")
    const rubric = place.file("measures.yaml", "name: r\nversion: 1\n")
    for (const args of [["log", "upgrade"], ["rescore", "--rubric", rubric], ["stop"]]) {
      expect(await badInput("LogFormatUnsupported", ...args, "--log", empty)).toContain("found an empty file")
      expect(fs.statSync(empty).size).toBe(0)
    }
  })

  it("is a directory: exit 1, whatever the command", async () => {
    const agent = inRepository("examples", "agents", "wanderer.mjs")
    for (const args of [["task", "ls"], ["log", "doctor"], ["demo"], ["run", "--goal", "g", "--agent", agent]]) {
      const message = await badInput("BadInput", ...args, "--log", place.directory)
      expect(message).toBe(`${place.directory}: expected a file, found a directory.`)
    }
  })

  it.runIf(process.getuid?.() === 0 && isOpenToOthers(inRepository()))(
    "may not be written: exit 1 for who writes, an answer for who reads",
    async () => {
      const directory = place.file("kept")
      const file = `${directory}/log.db`
      fs.mkdirSync(directory)
      fs.copyFileSync(log, file)
      fs.chmodSync(file, 0o444)
      fs.chmodSync(directory, 0o777)
      fs.chmodSync(place.directory, 0o755)
      const nobody = { uid: 65534, cwd: place.directory }
      const read = await hindcast(["task", "ls", "--log", file], nobody)
      expect({ code: read.code, stderr: read.stderr }).toEqual({ code: 0, stderr: "" })
      const written = await hindcast(["plugin", "remove", "text-room", "--log", file], nobody)
      expect(written.code).toBe(1)
      expect(written.stderr).toMatch(/^error: .*read-only/)
    },
  )
})

describe("a log that was tampered with", () => {
  it("is found out: exit 2, with the position and the reason", async () => {
    const copy = place.file("tampered.db")
    fs.copyFileSync(log, copy)
    const database = new Database(copy)
    database.exec("DROP TRIGGER events_not_updated")
    database.prepare("UPDATE events SET payload = ? WHERE position = 9").run("{}")
    database.close()
    const shown = await hindcast(["log", "verify", "--log", copy])
    expect(shown).toMatchObject({ code: 2, stdout: expect.stringContaining("damage: chain at @9") })
    expect(shown.stderr).toMatch(/^error: .*tampered\.db was tampered with at @9: the event's content does not match/)
    const { code, stdout, stderr } = await hindcast(["log", "verify", "--log", copy, "--json"])
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({ intact: false, position: 9 })
    expect(JSON.parse(stderr).error.tag).toBe("Tampered")
    // It can still be looked at.
    for (const args of [
      ["log", "ls"],
      ["log", "show", "@9"],
      ["why", "@12"],
    ]) {
      expect((await hindcast([...args, "--log", copy])).code).toBe(0)
    }
  })
})

describe("what is not there", () => {
  it("tasks, events, paths, confirmations, plugins: exit 3", async () => {
    expect(await notFound("TaskNotFound", "audit", "no-such-task", "--log", log)).toContain('"no-such-task"')
    const id = "00000000-0000-7000-8000-000000000000"
    expect(await notFound("EventNotFound", "log", "show", id, "--log", log)).toContain(id)
    expect(await notFound("EventNotFound", "why", "@0", "--log", log)).toContain("@0")
    expect(await notFound("RequestNotFound", "saw", "@2", "--log", log)).toContain("expected a request to a model")
    expect(await notFound("PathNeverExisted", "blame", "/shared/nope", "--log", log)).toContain("/shared/readings")
    expect(await notFound("PathNotFound", "state", "--path", "/nope", "--log", log)).toContain("/shared")
    expect(await notFound("NotPending", "confirm", "reject", "x", "--log", log)).toContain("confirm ls")
    expect(await notFound("NotInRegistry", "plugin", "show", "x", "--log", log)).toContain("text-room")
    expect(await notFound("NotInRegistry", "plugin", "activate", "x/y", "--log", log)).toContain("one of text-room")
    expect(await notFound("NotInRegistry", "plugin", "activate", "text-room/y", "--log", log)).toContain(
      "text-room/look",
    )
    expect(await notFound("MetadataNotFound", "plugin", "meta", "text-room", "x", "--log", log)).toContain('"x"')
  })
})

describe("a fork that is refused", () => {
  it("appends nothing: no kernel started", async () => {
    const head = async () => JSON.parse((await hindcast(["log", "info", "--json", "--log", log])).stdout).head
    const before = await head()
    const agent = inRepository("examples", "agents", "wanderer.mjs")
    expect(await badInput("NotForkable", "fork", "@80", "--agent", agent, "--log", log)).toContain(
      "Nothing was recorded",
    )
    expect(await head()).toEqual(before)
  })
})

describe("a request that is asked for in two ways", () => {
  it("exit 1, with the option that does not fit", async () => {
    expect(await badInput("BadInput", "saw", "@2", "--turn", "1", "--log", log)).toContain("--turn")
    expect(await badInput("BadInput", "saw", "@2", "--curl", "--diff", "--log", log)).toContain("--curl")
    expect(await badInput("BadInput", "saw", "main", "--log", log)).toContain("a timeline")
  })
})

describe("a moment that is none", () => {
  it("a moment past the head: exit 3", async () => {
    expect(await notFound("PositionOutOfRange", "state", "--at", "@99999", "--log", log)).toMatch(/0 .* to \d+/)
    expect(await notFound("PositionOutOfRange", "why", "@99999", "--log", log)).toContain("@99999")
  })

  it("a moment of no known shape: exit 1", async () => {
    expect(await badInput("MomentInvalid", "state", "--at", "yesterday", "--log", log)).toContain(
      "2026-03-01T12:00:00Z",
    )
    expect(await badInput("PathInvalid", "blame", "shared", "--log", log)).toContain("JSON Pointer")
  })
})

describe("a command line that is wrong", () => {
  it("a misused command says what was expected and where to read on", async () => {
    expect(await badInput("BadInput", "lgo", "--log", log)).toMatch(
      /one of demo, init, run, .*confirm, hooks, gate, acp, mcp, plugin, log/,
    )
    expect(await badInput("BadInput", "log", "list")).toBe(
      'hindcast log: expected one of ls, show, info, reprice, verify, anchor, doctor, archive, segments, snapshot, subjects, shred, import, backup, restore, create, copy, upgrade, found "list". Did you mean ls? `hindcast log --help` describes them.',
    )
    expect(await badInput("BadInput", "gate", "list")).not.toContain("Did you mean")
    expect(await badInput("BadInput", "aduit", "--log", log)).toContain("Did you mean audit? `hindcast --help`")
    expect(await badInput("BadInput", "plugin", "lst", "--log", log)).toContain(
      "Did you mean ls or list? `hindcast plugin --help`",
    )
    expect(await badInput("BadInput", "audit", "x", "--timelin", "y", "--log", log)).toBe(
      'hindcast audit: expected one of its options, found "--timelin". Did you mean --timeline? `hindcast audit --help` lists them.',
    )
    expect(await badInput("Usage", "audit")).toContain("hindcast audit --help")
    expect(await badInput("BadInput", "audit", "--bogus", "x", "--log", log)).toContain("--bogus")
    // Options of other commands, which a command with an argument of its own would take for it.
    expect(await badInput("BadInput", "studio", "--force", "--log", log)).toMatch(
      /^hindcast studio: .* found "--force"/,
    )
    expect(await badInput("BadInput", "state", "--timeline", "x", "--log", log)).toContain("as fork-1@412")
    expect(await badInput("BadInput", "log", "ls", "--agent", "x", "--log", log)).not.toContain("Did you mean --agent")
    expect(await badInput("Usage", "audit", "x", "y", "--log", log)).toContain("'y'")
    expect(await badInput("BadInput", "task", "ls", "--log")).toBe("--log: expected a value, found none.")
    expect(await badInput("Usage", "log", "ls", "--limit", "0", "--log", log)).toContain('1 or more, found "0"')
    expect(await badInput("BadInput", "log", "ls", "--type", "SensorReed", "--log", log)).toMatch(
      /such as SensorRead or .*, found "SensorReed"\. `hindcast log info` lists/,
    )
    expect(await badInput("Usage", "state", "--projection", "Weather", "--log", log)).toContain("ScoreSets")
  })
})

describe("a name that is misspelt", () => {
  it.each([
    { line: "plugin show text-rom", code: 3, asks: "Did you mean text-room?" },
    { line: "plugin activate text-room/lok", code: 3, asks: "Did you mean text-room/look?" },
    { line: "score show lvie", code: 3, asks: "Did you mean live?" },
    { line: "log ls --timeline mian", code: 3, asks: "Did you mean main?" },
    { line: "state --projection tasks", code: 1, asks: "Did you mean Tasks?" },
    { line: "audit --all --group agnet", code: 1, asks: "Did you mean agent?" },
  ])("hindcast $line: $asks", async ({ line, code, asks }) => {
    const { stderr, ...ended } = await hindcast([...line.split(" "), "--log", log])
    expect([ended.code, stderr]).toEqual([code, expect.stringContaining(asks)])
  })

  it("and one that is like none is only told what there is", async () => {
    const { stderr } = await hindcast(["plugin", "show", "zebra", "--log", log])
    expect(stderr).toContain("expected one of text-room.")
    expect(stderr).not.toContain("Is it")
  })
})

describe("messages about files", () => {
  it("are in users' words, without codes and calls of the system, and name the file once", async () => {
    const gone = place.file("gone.jsonl")
    for (const args of [
      ["log", "import", gone, "--log", place.file("imported.db")],
      ["plugin", "check", place.directory],
      ["run", "--agent", place.file("gone.mjs"), "--goal", "g", "--log", place.file("new.db")],
      ["rescore", "--rubric", gone, "--log", log],
      ["export", "events", "--output", place.file("none/events.jsonl"), "--log", log],
      ["log", "anchor", "--key", place.file("none/key.pem"), "--log", log],
    ]) {
      const { code, stderr } = await hindcast(args)
      // A file to write to, and what is wrong in one that is there, is bad input.
      expect([args.join(" "), code]).toEqual([args.join(" "), /--output|anchor|check/.test(args.join(" ")) ? 1 : 3])
      expect(stderr).toMatch(/no such file|found none|found neither|no directory/)
      expect(stderr).not.toMatch(/\bE[A-Z]{3,}\b|\b(?:open|stat|scandir|mkdir) '|\n +at /)
    }
  })

  it("a file to import that is not there is no crash where the log is there already", async () => {
    const { code, stderr } = await hindcast(["log", "import", place.file("gone.jsonl"), "--log", log])
    expect([code, stderr]).toEqual([1, expect.stringContaining("expected no log there yet")])
  })
})

describe("a rubric that cannot be used", () => {
  const rubric = (text: string) =>
    badInput("RubricInvalid", "rescore", "--log", log, "--rubric", place.file("r.yaml", text))

  it("a rubric with a weight of 7, an unknown field, a rule that does not compile: exit 1, with all of it", async () => {
    const reward = (weight: number, rule: string) => `
name: bad
measures:
  - name: m
    description: d
    rewards: [{ name: r, when: w, weight: ${weight}, rule: "${rule}" }]
`
    expect(await rubric(reward(7, "true"))).toMatch(/measures\[0\]\.rewards\[0\]\.weight: .*0 to 1.*7/)
    expect(await rubric(reward(1, "1 +"))).toContain('m, "r"')
    expect(await rubric("name: r\nmeasure: []\n")).toMatch(
      /r\.yaml.*\n.*measure: .*Did you mean measures\?\n.*measures: /,
    )
    expect(await rubric("- just\n- a list\n")).toContain("r.yaml")
    expect(await rubric("a: [")).toContain("YAML")
  })

  it("a rubric that does not exist: exit 3", async () => {
    expect(await notFound("RubricInvalid", "rescore", "--log", log, "--rubric", "none.yaml")).toMatch(
      /none\.yaml.*\n.*expected a readable file, found none$/,
    )
  })
})

describe("an agent or a scenario that cannot be used", () => {
  const withGoal = (more: ReadonlyArray<string>) =>
    more.some((word) => word.startsWith("--goal")) ? more : ["--goal", "g", ...more]
  const run = (tag: string, agent: string, ...more: ReadonlyArray<string>) =>
    badInput(tag, "run", "--log", place.file("new.db"), "--agent", agent, ...withGoal(more))
  const missing = (tag: string, agent: string, ...more: ReadonlyArray<string>) =>
    notFound(tag, "run", "--log", place.file("new.db"), "--agent", agent, ...withGoal(more))

  it("an agent that is none: exit 1, or 3 where no such file is, before any log is made", async () => {
    expect(await run("NotAnAgent", place.file("empty.mjs", "export const a = 1"))).toContain("decide(context)")
    expect(await run("NotAnAgent", place.file("half.mjs", "export default { name: 'x' }"))).toContain("half.mjs")
    expect(await run("AgentUnavailable", place.file("broken.mjs", "export default {"))).toContain("fails to load")
    expect(await missing("AgentUnavailable", "none.mjs")).toContain("no such file")
    expect(await run("AgentUnavailable", place.directory)).toContain("found a directory")
    const agent = inRepository("examples", "agents", "wanderer.mjs")
    expect(await missing("WorkspaceMissing", agent, "--workspace", "nowhere")).toContain("nowhere")
    expect(await run("Usage", agent, "--max-steps", "many")).toContain("--max-steps: expected a whole number")
    expect(await run("Usage", agent, "--deadline", "0")).toContain("--deadline: expected a number above 0")
    expect(await run("BadInput", agent, "--goal= ")).toContain("--goal: expected the agent's goal")
    expect(await run("Usage", agent, "--gate", "maybe")).toContain("one of ask, allow, deny")
    expect(fs.existsSync(place.file("new.db"))).toBe(false)
  })

  it("a scenario that fits no plugin, or is no mapping: exit 1, or 3 where no such file is", async () => {
    const agent = inRepository("examples", "agents", "wanderer.mjs")
    const room = ["--plugin", inRepository("plugins", "text-room")]
    const scenario = place.file("list.yaml", "- a\n")
    expect(await run("BadInput", agent, "--scenario", scenario)).toContain("none with an environment")
    expect(await run("FileUnreadable", agent, ...room, "--scenario", scenario)).toContain("a mapping")
    expect(await missing("FileUnreadable", agent, ...room, "--scenario", "text-room=none.yaml")).toContain("none.yaml")
  })
})

describe("a program that cannot be recorded, examined or replayed", () => {
  const node = ["--", "node", "agent.js"]

  it("is no program of Node's, or none: exit 1, before any log is made", async () => {
    const fresh = ["--log", place.file("unmade.db")]
    for (const command of [["record"], ["record", "doctor"]]) {
      expect(await badInput("BadInput", ...command, ...fresh)).toContain("expected node and a program after it")
      expect(await badInput("BadInput", ...command, ...fresh, "--", "python", "agent.py")).toContain(
        '"python agent.py"',
      )
    }
    expect(fs.existsSync(place.file("unmade.db"))).toBe(false)
  })

  it("is of a task that is not there: exit 3", async () => {
    const id = "no-such-task"
    expect(await notFound("TaskNotFound", "record", "doctor", "--task", id, "--log", log, ...node)).toContain(id)
    expect(await notFound("TaskNotFound", "replay", id, "--live", "model", "--log", log, ...node)).toContain(id)
    expect(await notFound("LogMissing", "record", "doctor", "--task", id, "--log", "none.db", ...node)).toContain(
      "none.db",
    )
    expect(await notFound("LogMissing", "replay", id, "--live", "tools", "--log", "none.db", ...node)).toContain(
      "none.db",
    )
  })

  it("is to be made anew in part, but not which part, or not by which program: exit 1", async () => {
    const { stdout } = await hindcast(["task", "ls", "--log", log, "--json"])
    const task = ["replay", JSON.parse(stdout).tasks[0].id, "--log", log]
    expect(await badInput("Usage", ...task, "--live", "all", ...node)).toMatch(/--live: .*model, tools.*"all"/)
    expect(await badInput("BadInput", ...task, "--live", "model")).toContain("--live")
  })
})
