import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MAIN } from "../built.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, keysOf, playLostKey } from "./hindcast.ts"

const place = workplace()
const log = place.file("log.db")
let task = ""

beforeAll(async () => {
  task = await playLostKey(log)
})
afterAll(place.remove)

const on = (...args: ReadonlyArray<string>) => document([...args, "--log", log])
const page = async (...args: ReadonlyArray<string>) => (await hindcast([...args, "--log", log])).stdout

const EVENT = [
  ...["actor", "causationId", "hash", "id", "occurredAt", "payload", "position", "recordedAt", "schemaVersion"],
  ...["stream", "taskId", "timeline", "type", "version"],
].sort()

describe("every answer has stable keys in JSON", () => {
  it("log ls, show, verify", async () => {
    const listed = await on("log", "ls")
    expect(keysOf(listed)).toEqual(["events", "more"])
    expect(keysOf(listed.events)).toEqual(EVENT)
    expect(keysOf(await on("log", "show", "@1"))).toEqual(EVENT)
    expect(keysOf(await on("log", "verify"))).toEqual(["ageMs", "events", "head", "intact", "looks", "recordedAt"])
  })

  it("state, diff, blame, why", async () => {
    const state = await on("state")
    expect(keysOf(state)).toEqual(["at", "path", "projection", "state", "timeline"])
    expect(keysOf(state.state)).toEqual(["shared", "tasks"])
    const diff = await on("diff", "@0", "@20")
    expect(keysOf(diff)).toEqual(["changes", "from", "timelines", "to"])
    expect(keysOf(diff.changes)).toEqual(["event", "op", "path", "value"])
    const blame = await on("blame", `/tasks/${task}/environment/text-room/won`)
    expect(keysOf(blame)).toEqual(["at", "event", "exists", "path", "timeline", "value"])
    expect(keysOf(blame.event)).toEqual(EVENT)
    const why = await on("why", "@20")
    expect(keysOf(why)).toEqual(["chain"])
    expect(keysOf(why.chain)).toEqual(EVENT)
  })

  it("task ls, audit, confirm ls", async () => {
    const tasks = await on("task", "ls")
    expect(keysOf(tasks)).toEqual(["earlier", "tasks"])
    expect(keysOf(tasks.tasks)).toEqual([
      ...["activity", "agent", "closedAt", "from", "goal", "id", "openedAt", "outcome", "reason", "score"],
      ...["steps", "to"],
    ])
    expect(keysOf(await on("audit", task))).toEqual(
      [
        ...["acting", "agent", "changes", "closedAt", "confirming", "durationMs", "goal", "openedAt", "outcome"],
        ...["range", "reason", "scores", "sensing", "steps", "taskId", "timeline"],
      ].sort(),
    )
    expect(await on("confirm", "ls")).toEqual({ confirmations: [] })
  })

  it("plugin list, show", async () => {
    const list = await on("plugin", "list")
    expect(keysOf(list.plugins)).toEqual([
      ...["active", "components", "digest", "held", "importedAt", "missing", "name", "origin", "quarantined"],
      ...["source", "version"],
    ])
    expect(keysOf(await on("plugin", "show", "text-room"))).toEqual(
      [
        ...["active", "at", "components", "digest", "given", "grants", "held", "importedAt", "manifest", "metadata"],
        ...[
          "missing",
          "name",
          "origin",
          "overrides",
          "quarantined",
          "revoked",
          "running",
          "source",
          "version",
          "versions",
        ],
        "workspace",
      ].sort(),
    )
  })
})

describe("pages for people", () => {
  it("have no colours in a pipe, and none of their commands changes the log", { timeout: 120_000 }, async () => {
    const before = fs.readFileSync(log)
    const commands = [
      ...[["log", "ls"], ["log", "show", "@1"], ["log", "info"], ["log", "verify"], ["state"], ["task", "ls"]],
      ...[
        ["diff", "@0", "@30"],
        ["blame", "/tasks"],
        ["why", "@30"],
        ["audit", task],
        ["confirm", "ls"],
      ],
      ...[["plugin", "list"], ["plugin", "show", "text-room"], ["--help"], ["audit", "--help"], ["--version"]],
    ]
    for (const command of commands) {
      const { code, stdout, stderr } = await hindcast([...command, "--log", log], { env: { FORCE_COLOR: "1" } })
      expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: "" })
      expect(stdout.length).toBeGreaterThan(0)
      expect(stdout, command.join(" ")).not.toContain("\u001b")
    }
    expect(fs.readFileSync(log).equals(before)).toBe(true)
  })

  it("help names the values of options, and what holds without them", async () => {
    const help = await page("compare", "--help")
    expect(help).toMatch(/^hindcast compare .*\[--by net\|normalized\] \[--cluster goal\|agent\] .*\[<a>\] \[<b>\]\n/)
    expect(help).toMatch(/^--by net\|normalized\n {2}.* Default: net$/m)
    expect(help).toMatch(/^--pass-above number\n {2}.* Default: 0$/m)
    expect(help).toMatch(/^--seed number\n {2}.* Default: 1$/m)
  })

  it("an audit tells goal, outcome, steps, components and scores with their reasons", async () => {
    const audit = await page("audit", task)
    for (const line of [/goal\s+Find the document/, /outcome\s+achieved/, /steps\s+8 /, /text-room\/go\s+2\s+2\s/]) {
      expect(audit).toMatch(line)
    }
    expect(audit).toMatch(/Score live by rule@4 @\d+: 1\.8 of 1\.8 \(100 %\)/)
    expect(audit).toMatch(/\+ found the key\s+0\.3\s+1\s+\+0\.3\s+@\d+/)
  })

  it("why is a chain from the event to the task's opening", async () => {
    const { events } = await on("log", "ls", "--type", "CommandFailed")
    const [failed] = events as ReadonlyArray<{ readonly position: number }>
    const lines = (await page("why", `@${failed?.position}`)).trimEnd().split("\n")
    expect(lines[0]).toMatch(/^@\d+ CommandFailed {2}locked/)
    expect(lines[1]).toMatch(/^└─ @\d+ CommandDispatched/)
    expect(lines.at(-1)).toMatch(/^\s+└─ @\d+ TaskOpened {2}knows-the-way@1\.0\.0: Find the document$/)
  })

  it("diff shows one line a change with its cause", async () => {
    const lines = (await page("diff", "@0", "main@80")).trimEnd().split("\n")
    expect(lines.every((line) => /^[+~-] \/\S+ .*@\d+$/.test(line))).toBe(true)
  })

  it("the reader may leave early", async () => {
    const child = spawn("/bin/sh", ["-c", `"${process.execPath}" "${MAIN}" state --log "${log}" | head -n 1; wait`], {
      stdio: ["ignore", "pipe", "pipe"],
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
      })
    }
    await new Promise((resolve) => child.on("close", resolve))
    expect(output).toBe("{\n")
  })
})

describe("selecting", () => {
  it("log ls shows the last events, or the first after a moment; by type, task and stream", async () => {
    const listed = async (...args: ReadonlyArray<string>) => {
      const { events, more } = await on("log", "ls", ...args)
      const positions = (events as ReadonlyArray<{ readonly position: number }>).map(({ position }) => position)
      return { positions, more }
    }
    const positions = async (...args: ReadonlyArray<string>) => (await listed(...args)).positions
    const { position: head } = (await on("log", "info")).head as { readonly position: number }
    expect(await listed("--limit", "2")).toEqual({ positions: [head - 1, head], more: true })
    expect((await positions()).length).toBe(50)
    expect(await listed("--after", "@3", "--limit=2")).toEqual({ positions: [4, 5], more: true })
    expect(await positions("--until", "@3", "--limit", "2")).toEqual([2, 3])
    expect(await listed("--stream", "kernel")).toEqual({ positions: [1, head], more: false })
    expect((await positions("--task", task.slice(-6), "--type", "TaskOpened", "--type", "TaskClosed")).length).toBe(2)
    expect(await hindcast(["log", "ls", "--type", "acme/Unknown", "--json", "--log", log])).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('"events": []'),
    })
  })

  it("log ls says at its end that there are others, and how many came before", async () => {
    const { position: head } = (await on("log", "info")).head as { readonly position: number }
    const last = async (...args: ReadonlyArray<string>) =>
      (await page("log", "ls", ...args)).trimEnd().split("\n").at(-1)
    expect(await last()).toBe(`${head - 50} earlier; --limit N shows more.`)
    expect(await last("--stream", "kernel", "--limit", "1")).toBe("1 earlier; --limit N shows more.")
    expect(await last("--after", "@0")).toBe("Later ones follow; --limit N shows more.")
    expect(await last("--until", "@3")).toMatch(/^@3 /)
    expect(await last("--after", `@${head - 50}`)).toMatch(new RegExp(`^@${head} `))
  })

  it("state goes to any moment, any part and any projection", async () => {
    const won = `/tasks/${task}/environment/text-room/won`
    expect((await on("state", "--path", won)).state).toBe(true)
    expect((await on("state", "--path", won, "--at", "@20")).state).toBe(false)
    expect((await on("state", "--at", "@0")).state).toEqual({
      shared: { readings: {}, environment: {}, pending: {} },
      tasks: {},
    })
    const tasks = await on("state", "--projection", "Tasks", "--path", `/${task}/outcome`)
    expect(tasks).toMatchObject({ projection: "Tasks", state: "achieved" })
    for (const projection of ["PluginRegistry", "PendingConfirmations", "ScoreSets"]) {
      expect((await on("state", "--projection", projection)).projection).toBe(projection)
    }
  })

  it("HINDCAST_LOG names the log where --log does not", async () => {
    const { head } = await document(["log", "info"], { env: { HINDCAST_LOG: log } })
    expect(head).toEqual((await on("log", "info")).head)
  })
})

describe("re-scoring", () => {
  it("adds a score set, and says what changed and by how much", async () => {
    const rubric = inRepository("examples", "rubrics", "stricter.yaml")
    const again = await on("rescore", "--rubric", rubric, "--task", task, "--label", "again")
    expect(keysOf(again)).toEqual(["label", "neverHeld", "scoreSetId", "tasks"])
    expect(keysOf(again.tasks)).toEqual(["after", "before", "changed", "outcome", "taskId"])
    expect(again.label).toBe("again")
    const changed = (again.tasks as ReadonlyArray<{ readonly changed: unknown }>)[0]?.changed
    expect(keysOf(changed)).toEqual(["after", "before", "kind", "measure", "name"])
    const labels = ((await on("audit", task)).scores as ReadonlyArray<{ label: string }>).map(({ label }) => label)
    expect(labels).toEqual(["live", "again"])
    const { stdout, stderr } = await hindcast(["rescore", "--rubric", rubric, "--log", log])
    expect(stdout).toMatch(new RegExp(`${task}\\s+achieved\\s+1\\.8 of 1\\.8\\s+0\\.8 of 1\\.5 .*−0\\.3 found the key`))
    expect(stderr).toBe("")
  })
})
