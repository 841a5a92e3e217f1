/** `hindcast replay TASK --below FILE` of a planner that calls an agent, and `replayTree`. */
import * as fs from "node:fs"
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import * as ReplayPage from "../../src/cli/pages/time/ReplayPage.ts"
import { plain } from "../../src/cli/terminal/Style.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { Agent, Models } from "../../src/index.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { agentAsTool, fromModel, open } from "../../src/promise.ts"
import { PACKAGE } from "../built.ts"
import { workplace } from "../workplace.ts"
import { runInProcess } from "./inProcess.ts"

const place = workplace()
const log = place.file("tree.db")

const planner = fromModel({
  ...{ name: "planner", version: "1", tools: ["program/ask"] },
  model: Models.scripted({
    turns: [Models.calls([{ tool: "program__ask", args: { goal: "2 + 2" } }]), Models.says("4")],
  }),
})
const worker = (says = "It is 4.") =>
  fromModel({
    ...{ name: "worker", version: "1", tools: ["program/note"] },
    model: Models.scripted({
      turns: [Models.calls([{ tool: "program__note", args: { text: says } }]), Models.says(says)],
    }),
  })
/** The same, but with code of its own: its decisions do not come from the recorded answers of a model. */
const other = (note: string) => ({
  name: "worker",
  version: "2",
  decide: ({ step }: { readonly step: number }) =>
    step === 0 ? { act: "program/note", args: { text: note } } : { done: "achieved" as const },
})
const note = {
  risk: "none",
  description: "Notes",
  args: { type: "object", properties: { text: { type: "string" } } },
  run: () => "ok",
}

beforeAll(async () => {
  fs.mkdirSync(place.file("node_modules"), { recursive: true })
  fs.symlinkSync(PACKAGE, place.file("node_modules/hindcast"))
  await using hindcast = await open({
    log,
    workspace: place.directory,
    tools: { ask: agentAsTool(worker()), note } as never,
  })
  await hindcast.tasks.run(planner, { id: "top", goal: "Compute" })
})

const file = (name: string, tools: string, goal = "") =>
  place.file(
    `${name}.mjs`,
    `import { Agent, Models } from "hindcast"
export default Agent.fromModel({ name: "${name}", version: "1", tools: ["${tools}"], model: Models.scripted({ turns: [] })${goal} })
`,
  )

const replay = async (...words: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await runInProcess(["replay", "top", ...words, "--log", log])
  return { code, stdout, stderr }
}

describe("the replay of a tree", () => {
  it("replays the task and each task below it, and appends nothing", async () => {
    await using hindcast = await open({
      log,
      workspace: place.directory,
      tools: { ask: agentAsTool(worker()), note } as never,
    })
    const found = await hindcast.replayTree("top", planner)
    expect(found).toMatchObject({ verdict: "identical", complete: true, timeline: "main" })
    expect(found.tasks.map(({ depth, recorded, verdict }) => [depth, recorded, verdict])).toEqual([
      [0, "planner@1", "identical"],
      [1, "worker@1", "identical"],
    ])
  })

  it("finds a change in an agent below, which a replay of the top alone does not", async () => {
    await using hindcast = await open({ log, workspace: place.directory })
    expect(await hindcast.replay("top", planner)).toMatchObject({ verdict: "identical" })
    const found = await hindcast.replayTree("top", planner, { agents: [other("It is 5.") as never] })
    expect(found).toMatchObject({ verdict: "diverged" })
    expect(found.tasks.map(({ verdict }) => verdict)).toEqual(["identical", "diverged"])
  })

  it("takes the recorded version of an agent among several of its name", async () => {
    await using hindcast = await open({ log, workspace: place.directory })
    const found = await hindcast.replayTree("top", planner, { agents: [other("It is 5.") as never, worker()] })
    expect(found).toMatchObject({ verdict: "identical", tasks: [{ depth: 0 }, { replayed: "worker@1" }] })
  })

  it("is refused without the agent of a task below: what nobody replayed is not identical", async () => {
    await using hindcast = await open({ log, workspace: place.directory })
    await expect(hindcast.replayTree("top", planner)).rejects.toMatchObject({
      _tag: "AgentNotGiven",
      agent: "worker@1",
      given: ["planner@1"],
    })
  })
})

describe("the replay of a tree of which the log has a part", () => {
  it("is not complete, and names the tasks that nobody replayed", async () => {
    const part = place.file("part.db")
    const agent = Agent.fromAdvance({
      ...{ name: "alone", version: "1" },
      advance: (task) => Effect.as(task.close("achieved"), false),
    })
    const child = { taskId: "gone", outcome: "achieved" }
    const found = await Effect.runPromise(
      Effect.gen(function* () {
        const { tasks, replayTree } = yield* Kernel
        yield* tasks.run(agent, { id: "part", goal: "Compute" })
        yield* (yield* EventLog).append({
          ...{ stream: "task/part", taskId: "part", actor: "kernel" },
          events: [{ type: "CommandSucceeded", payload: { commandId: "gone", result: null, child } }],
        })
        return yield* replayTree("part", agent)
      }).pipe(Effect.provide(Hindcast.layer({ log: part, workspace: place.directory })), Effect.scoped),
    )
    expect(found).toMatchObject({ verdict: "identical", complete: false, missing: ["gone"] })
    const page = ReplayPage.tree(plain, found)
    expect(page).toContain("Not in this log, and not replayed: 1 task (gone).")
  })
})

describe("hindcast replay --below", () => {
  it("replays the tasks below with the agents of these files", async () => {
    const top = file("planner", "program/ask")
    const below = file("worker", "program/note")
    const { code, stdout, stderr } = await replay("--agent", top, "--below", below)
    expect(stderr).toBe("")
    expect(code).toBe(0)
    expect(stdout.match(/^Identical/gm)).toHaveLength(2)
    expect(stdout).toContain("2 tasks replayed, each from its own recording.")
    const json = JSON.parse((await replay("--agent", top, "--below", below, "--json")).stdout)
    expect(json).toMatchObject({ verdict: "identical", tasks: [{ depth: 0 }, { depth: 1 }] })
  })

  it("exits with 2 for a difference below, says what it left out, and refuses an agent of another name", async () => {
    const top = file("planner", "program/ask")
    const changed = place.file(
      "changed.mjs",
      "export default { name: 'worker', version: '2', decide: () => ({ act: 'program/note', args: { text: 'other' } }) }\n",
    )
    expect(await replay("--agent", top, "--below", changed)).toMatchObject({ code: 2 })
    const silent = await replay("--agent", top)
    expect(silent).toMatchObject({ code: 2, stdout: expect.stringMatching(/^Identical/) })
    expect(silent.stderr).toContain(
      "error: 1 task below top was not replayed. `--below FILE` names the agents of such tasks",
    )
    const alone = await replay("--agent", top, "--alone")
    expect(alone).toMatchObject({ code: 0 })
    expect(alone.stderr).toContain("1 task below it was not replayed (--alone).")
    expect(await replay("--agent", top, "--alone", "--below", top)).toMatchObject({ code: 1, stdout: "" })
    const missing = await replay("--agent", top, "--below", top)
    expect(missing).toMatchObject({ code: 1, stdout: "" })
    expect(missing.stderr).toContain("expected its agent worker@1 among those of the tasks below, found planner@1")
  })
})
