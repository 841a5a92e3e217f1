import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { writePlugin } from "../kernel/given.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, playLostKey, start } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const log = ["--log", place.file("log.db")]
const agentOf = (name: string) => ["--agent", inRepository("examples", "agents", `${name}.mjs`)]

let task: string
/** Where the fifth decision of the task stands. */
let fifth: number

beforeAll(async () => {
  task = await playLostKey(place.file("log.db"))
  const { events } = await document(["log", "ls", "--type", "DecisionMade", ...log])
  fifth = (events as ReadonlyArray<{ position: number }>)[4]?.position ?? 0
})

describe("replay", () => {
  it("says that the agent does the same, and ends with 0", async () => {
    const { code, stdout, stderr } = await hindcast(["replay", task.slice(-8), ...agentOf("knows-the-way"), ...log])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(
      /^Identical: knows-the-way@1\.0\.0 acted in task \S+ as knows-the-way@1\.0\.0 did, over \d+ events, to its end\.\n$/,
    )
  })

  it("shows where it diverges, with what came before, and ends with 2", async () => {
    const changed = place.file(
      "changed.mjs",
      fs
        .readFileSync(inRepository("examples", "agents", "knows-the-way.mjs"), "utf8")
        .replace('args: { direction: "south" }', 'args: { direction: "up" }'),
    )
    const replay = ["replay", task, "--agent", changed, ...log]
    const { code, stdout, stderr } = await hindcast(replay)
    const lines = stdout.split("\n")
    expect(code).toBe(2)
    expect(lines[0]).toMatch(
      new RegExp(`^Diverged @${fifth}: knows-the-way@1\\.0\\.0 acted differently in task \\S+ than `),
    )
    expect(lines.slice(2, 6)).toEqual([
      "kind      another-command",
      "path      /args/direction",
      'recorded  text-room/go {"direction":"south"}',
      'now       text-room/go {"direction":"up"}',
    ])
    expect(lines.slice(7).filter((line) => line !== "")).toHaveLength(5)
    expect(lines.at(-2)).toMatch(new RegExp(`^ *@${fifth} .* DecisionMade `))
    expect(stderr).toMatch(
      new RegExp(
        `^error: Task ${task} diverged @${fifth} \\(another command\\)\\. .*fork @${fifth - 1} --task ${task}`,
      ),
    )
    const asJson = await hindcast([...replay, "--json"])
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      verdict: "diverged",
      divergence: { kind: "another-command", position: fifth, path: "/args/direction" },
    })
    expect(JSON.parse(asJson.stderr).error.tag).toBe("Diverged")
  })

  it("says what is missing or wrong", async () => {
    for (const [args, code, message] of [
      [["replay", "nobody", ...agentOf("wanderer")], 3, 'No task "nobody"'],
      [["replay", task, "--agent", "nowhere.mjs"], 3, "found no such file"],
      [["replay", task, ...agentOf("wanderer"), "--timeline", "x"], 3, 'There is no timeline "x"'],
    ] as const) {
      const ended = await hindcast([...args, ...log])
      expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code, stderr: expect.stringContaining(message) })
    }
  })
})

describe("fork", () => {
  it("goes on from a moment, says how the world was brought back, and is audited and compared", async () => {
    const { code, stdout, stderr } = await hindcast([
      ...["fork", `@${fifth - 1}`, ...agentOf("knows-the-way"), "--override", "goal=Find it again", ...log],
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const lines = stdout.split("\n")
    expect(lines[0]).toMatch(new RegExp(`^Timeline fork-1 from main@${fifth - 1}, task ${task} @\\d+$`))
    expect(lines[1]).toMatch(/^ {2}1 {2}text-room\/go \{"direction":"south"\} {2}succeeded in .* ms {2}@\d+$/)
    expect(stdout).toMatch(
      new RegExp(
        `^Rewound: text-room is as it was @${fifth - 1}, by snapshot; verified: its document, 2 readings\\.$`,
        "m",
      ),
    )
    expect(stdout).toMatch(/^ {2}timeline {4}fork-1$/m)
    expect(stdout).toMatch(/To compare the two: node \S+main\.js compare main\/live fork-1\/live --log \S+log\.db$/m)
  })

  it("makes a fork for each of several agents, and compares them in a table", async () => {
    const copy = place.file("several.db")
    const task = await playLostKey(copy)
    const { events } = await document(["log", "ls", "--type", "DecisionMade", "--log", copy])
    const at = (events as ReadonlyArray<{ position: number }>)[4]?.position ?? 0
    const several = ["fork", `@${at - 1}`, ...agentOf("knows-the-way"), ...agentOf("wanderer"), "--max-steps", "3"]
    const { code, stdout, stderr } = await hindcast([...several, "--log", copy])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const table = stdout.slice(stdout.indexOf("run "))
    expect(table).toMatch(/^run +outcome +score +cost +tokens +time +steps +first decision that differs$/m)
    expect(table.split("\n").filter((line) => line.includes(task))).toEqual([
      expect.stringMatching(new RegExp(`^A\\S*.*  ${task} .*achieved`)),
      expect.stringMatching(new RegExp(`fork-1@${task} `)),
      expect.stringMatching(new RegExp(`fork-2@${task} `)),
    ])
    const { forks, table: compared } = JSON.parse((await hindcast([...several, "--json", "--log", copy])).stdout)
    expect(forks.map(({ timeline }: { timeline: string }) => timeline)).toEqual(["fork-3", "fork-4"])
    expect(compared.runs.map(({ timeline }: { timeline: string }) => timeline)).toEqual(["main", "fork-3", "fork-4"])
    const aligned = await hindcast([...["align", task, `fork-3@${task}`, `fork-4@${task}`], "--json", "--log", copy])
    expect(compared).toEqual(JSON.parse(aligned.stdout))
  })

  it("refuses all of several forks if one of them cannot be, and records nothing", async () => {
    const copy = place.file("refused.db")
    fs.copyFileSync(place.file("log.db"), copy)
    const before = (await document(["log", "show", "now", "--log", copy])).position
    const some = ["fork", `@${fifth - 1}`, ...agentOf("wanderer"), "--log", copy]
    for (const [args, message] of [
      [["--model", "openia/nothing"], "openia"],
      [["--agent", "nowhere.mjs"], "nowhere.mjs"],
      [[...agentOf("knows-the-way"), "--timeline", "mine"], "--timeline mine"],
      [["--agent", `ada=${inRepository("examples", "agents", "wanderer.mjs")}`], "NAME=FILE"],
    ] as const) {
      const { code, stderr } = await hindcast([...some, ...args])
      expect(code).toBeGreaterThan(0)
      expect(stderr).toContain(message)
    }
    expect((await document(["log", "show", "now", "--log", copy])).position).toEqual(before)
  })

  it("stands beside its original: audited, compared, listed and replayed in its own timeline", async () => {
    expect(await document(["audit", task, "--timeline", "fork-1", ...log])).toMatchObject({
      timeline: "fork-1",
      goal: "Find it again",
      outcome: "achieved",
      scores: [{ label: "live", net: 1.8 }],
    })
    expect(await document(["audit", task, ...log])).toMatchObject({ timeline: "main", goal: "Find the document" })
    expect(await document(["compare", "main/live", "fork-1/live", ...log])).toMatchObject({
      pairs: [{ taskId: task, a: 1.8, b: 1.8, difference: 0 }],
      onlyInA: [],
      onlyInB: [],
    })
    expect(await document(["timeline", "ls", ...log])).toMatchObject({
      timelines: [{ timeline: "fork-1", parent: "main", at: fifth - 1, taskId: task, task: { outcome: "achieved" } }],
    })
    const { stdout: listed } = await hindcast(["task", "ls", ...log])
    expect(listed).toMatch(new RegExp(`^${task} +main +achieved .* Find the document$`, "m"))
    expect(listed).toMatch(new RegExp(`^${task} +fork-1 +achieved .* Find it again$`, "m"))
    const on = ["--timeline", "fork-1", ...log]
    const { events } = await document(["log", "ls", "--limit", "1000", ...on])
    const timelines = (events as ReadonlyArray<{ timeline: string; position: number }>).map((event) => event.timeline)
    expect(new Set(timelines)).toEqual(new Set(["main", "fork-1"]))
    expect(timelines.lastIndexOf("main")).toBe(fifth - 2)
    const rubric = ["--rubric", inRepository("examples", "rubrics", "stricter.yaml"), "--label", "again"]
    expect(await document(["rescore", ...rubric, ...on])).toMatchObject({ label: "again", tasks: [{ taskId: task }] })
    expect(await document(["audit", task, ...on])).toMatchObject({ scores: [{ label: "live" }, { label: "again" }] })
    expect((await document(["audit", task, ...log])).scores).toHaveLength(1)
    const labels = async (...args: ReadonlyArray<string>) =>
      ((await document(["score", "ls", ...args])).scoreSets as ReadonlyArray<{ label: string }>).map(
        ({ label }) => label,
      )
    expect(await labels(...on)).toContain("again")
    expect(await labels(...log)).not.toContain("again")
    expect(await document(["score", "show", "again", ...on])).toMatchObject({ tasks: 1, scored: 1 })
    expect(await document(["compare", "live", "again", ...on])).toMatchObject({ otherRubrics: 1 })
    const page = place.file("fork.html")
    await document(["export", "html", "--output", page, "--task", task, ...on])
    expect(fs.readFileSync(page, "utf8")).toContain("Find it again")
    for (const [what, file] of [
      ["audits", place.file("fork.jsonl")],
      ["transitions", place.file("fork-steps.jsonl")],
    ] as const) {
      await document(["export", what, "--output", file, ...on])
      const rows = fs.readFileSync(file, "utf8").trim().split("\n")
      expect(new Set(rows.map((row) => JSON.parse(row).timeline))).toEqual(new Set(["fork-1"]))
    }
    const again = await hindcast(["replay", task, ...agentOf("knows-the-way"), "--timeline", "fork-1", ...log])
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(" on fork-1 ") })
  })

  it("goes on with what was recorded alone, or in another world", async () => {
    const recorded = await document([
      ...["fork", `@${fifth - 1}`, ...agentOf("knows-the-way"), "--io", "recorded", "--timeline", "again", ...log],
    ])
    expect(recorded).toMatchObject({ timeline: "again", io: "recorded", worlds: [], audit: { outcome: "achieved" } })
    const elsewhere = await document([
      ...["fork", `@${fifth - 1}`, ...agentOf("wanderer"), "--max-steps", "1", ...log],
      ...["--override", 'world:text-room={"room":"study"}', "--override", "seed=5"],
    ])
    expect(elsewhere).toMatchObject({ timeline: "fork-2", audit: { agent: "wanderer@1.0.0", outcome: "truncated" } })
  })

  it("is replayed as the work of who went on with it", async () => {
    const { code, stdout } = await hindcast(["replay", task, ...agentOf("wanderer"), "--timeline", "fork-2", ...log])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Identical: wanderer@1\.0\.0 acted in task \S+ on fork-2 as wanderer@1\.0\.0 did, /)
  })

  it("says what cannot be, and records nothing", async () => {
    for (const [args, code, message] of [
      [
        [`@${fifth}`, "--override", "mood=good"],
        1,
        "expected seed=N, goal=TEXT, reading:PLUGIN/SENSOR=JSON or world:PLUGIN=JSON",
      ],
      [[`@${fifth}`, "--override", "world:text-room={room"], 1, "expected a value in JSON after the =, found {room"],
      [["@1"], 1, "@1 belongs to no task"],
      [["@0"], 1, "@0 belongs to no task"],
      [["soon"], 1, "is not a moment"],
    ] as const) {
      const ended = await hindcast(["fork", ...args, ...agentOf("wanderer"), ...log])
      expect({ args, code: ended.code, stderr: ended.stderr }).toEqual({
        args,
        code,
        stderr: expect.stringContaining(message),
      })
    }
    const elsewhere = await hindcast(["fork", "@3", ...agentOf("wanderer"), "--log", place.file("none.db")])
    expect(elsewhere).toMatchObject({ code: 3, stderr: expect.stringContaining("expected a log") })
    expect(fs.existsSync(place.file("none.db"))).toBe(false)
    expect(await document(["timeline", "ls", ...log])).toMatchObject({
      timelines: [{ timeline: "fork-1" }, { timeline: "again" }, { timeline: "fork-2" }],
    })
  })

  it("asks a person anew, who may answer from another process", async () => {
    const scribe = writePlugin(place.file("scribe"), {
      name: "scribe",
      actuators: [{ name: "write" }],
      entry: "export default { actuators: { write: () => null } }",
    })
    const writer = place.file(
      "writer.mjs",
      `export default { name: "writer", version: "1", decide: ({ step, lastOutcome }) =>
        step === 0 ? { act: "scribe/write" } : { done: lastOutcome.status === "succeeded" ? "achieved" : "failed" } }`,
    )
    const own = ["--log", place.file("asking.db"), "--agent", writer]
    await document(["run", ...own, "--goal", "Write", "--plugin", scribe, "--gate", "deny", "--sandbox", "flags"])
    const { events } = await document(["log", "ls", "--type", "DecisionMade", "--log", place.file("asking.db")])
    const forking = start([
      "fork",
      `@${(events as ReadonlyArray<{ position: number }>)[0]?.position}`,
      ...own,
      "--json",
    ])
    let id: string | undefined
    while (id === undefined && forking.child.exitCode === null) {
      const { confirmations } = await document(["confirm", "ls", "--log", place.file("asking.db")])
      id = (confirmations as ReadonlyArray<{ id: string }>)[0]?.id
    }
    await document(["confirm", "approve", String(id), "--yes", "--log", place.file("asking.db")])
    const { code, stdout } = await forking.ended
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      timeline: "fork-1",
      audit: { outcome: "achieved", confirming: { requested: 1, approved: 1 } },
    })
  })
})
