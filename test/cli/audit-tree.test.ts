/** `hindcast audit TASK --tree` of a planner that calls two agents, one of which fails, and of a fork of it. */
import { beforeAll, describe, expect, it } from "vitest"
import { Models } from "../../src/index.ts"
import { agentAsTool, fromModel, open } from "../../src/promise.ts"
import { workplace } from "../workplace.ts"
import { runInProcess } from "./inProcess.ts"

const place = workplace()
const log = place.file("tree.db")

beforeAll(async () => {
  const worker = fromModel({
    ...{ name: "worker", version: "1", tools: [] },
    model: Models.scripted({ turns: [Models.says("It is 4.")] }),
  })
  const failing = fromModel({
    ...{ name: "failing", version: "1", tools: [], retries: 0 },
    model: Models.scripted({ turns: [] }),
  })
  const planner = fromModel({
    ...{ name: "planner", version: "1", tools: ["program/ask", "program/fail"] },
    model: Models.scripted({
      turns: [
        Models.calls([
          { tool: "program__ask", args: { goal: "2 + 2 \u202e|" } },
          { tool: "program__fail", args: { goal: "Fail" } },
        ]),
        Models.says("4"),
      ],
    }),
  })
  const tools = { ask: agentAsTool(worker), fail: agentAsTool(failing) }
  await using hindcast = await open({ log, workspace: place.directory, tools })
  await hindcast.tasks.run(planner, { id: "top", goal: "Compute" })
})

const audit = async (...words: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await runInProcess(["audit", ...words, "--log", log])
  return { code, stdout, stderr }
}

describe("hindcast audit TASK --tree", () => {
  it("shows each task below the one that started it, and the sums of its family", async () => {
    const { code, stdout } = await audit("top", "--tree")
    expect(code).toBe(0)
    const [head = "", top = "", first = "", second = ""] = stdout.split("\n")
    expect(head.split(/ {2,}/)).toEqual(
      [
        "task",
        "outcome",
        "tasks",
        "commands",
        "requests",
        "tokens",
        "cost",
        "reward",
        "own cost",
        "agent",
        "goal",
      ].filter((heading) => head.includes(heading)),
    )
    expect(top).toMatch(/^top +achieved +3 +2 +4 /)
    expect([first, second].join("\n")).toMatch(/└ \S+ +achieved +1 +0 +1 .* worker@1 .*2 \+ 2 \\u\{202e\}\|/)
    expect([first, second].join("\n")).toMatch(/└ \S+ +failed +1 +0 +1 /)
    expect(stdout).toContain("3 tasks: 2 achieved, 1 failed. Each line has the sums of a task and the tasks below it.")
  })

  it("is the same document as `TreeAudit.load`, and a table in Markdown", async () => {
    const document = JSON.parse((await audit("top", "--tree", "--json")).stdout)
    expect(document).toMatchObject({ taskId: "top", timeline: "main", total: { tasks: 3, commands: 2, calls: 4 } })
    expect(document.tasks.map(({ depth, own }: { depth: number; own: object }) => [depth, own])).toMatchObject([
      [0, { tasks: 1, commands: 2 }],
      [1, { tasks: 1, commands: 0 }],
      [1, { tasks: 1, commands: 0 }],
    ])
    const { stdout } = await audit("top", "--tree", "--markdown")
    expect(stdout).toContain("# Task `top` and the tasks below it")
    expect(stdout).toMatch(/\| 0 +\| `top` +\| achieved/)
  })

  it("names a task that does not exist, a timeline that does not, and options that contradict it", async () => {
    expect(await audit("nobody", "--tree")).toMatchObject({ code: 3, stdout: "" })
    expect(await audit("top", "--tree", "--timeline", "nowhere")).toMatchObject({ code: 3, stdout: "" })
    expect((await audit("top", "--tree", "--collective")).stderr).toContain("--tree: expected it or --collective")
    expect((await audit("--all", "--tree")).stderr).toContain("--tree: expected it with a task")
  })
})

describe("the task that started another one", () => {
  it("is named by its audit, as text, Markdown and JSON", async () => {
    const { tasks } = JSON.parse((await audit("top", "--tree", "--json")).stdout)
    const [, { taskId: child, parent }] = tasks
    expect(parent).toEqual({ taskId: "top", commandId: child })
    expect((await audit(child)).stdout).toMatch(new RegExp(`started by +task top, command ${child}`))
    expect((await audit(child, "--markdown")).stdout).toContain(`task \`top\`, command \`${child}\``)
    expect(JSON.parse((await audit(child, "--json")).stdout)).toMatchObject({ parent })
    expect((await audit("top")).stdout).not.toContain("started by")
  })

  it("is named by exports: tables of audits, spans and reports", async () => {
    const { tasks } = JSON.parse((await audit("top", "--tree", "--json")).stdout)
    const child = tasks[1].taskId
    const exported = async (...words: ReadonlyArray<string>) =>
      (await runInProcess(["export", ...words, "--output", "-", "--log", log])).stdout
    const csv = (await exported("audits", "--format", "csv")).trimEnd().split(/\r?\n/)
    expect(csv[0]?.endsWith("parent_task_id,parent_timeline,parent_command_id")).toBe(true)
    expect(csv.filter((line) => line.startsWith("top,")).map((line) => line.split(",").slice(-3))).toEqual([
      ["", "", ""],
    ])
    expect(csv.find((line) => line.startsWith(child))?.endsWith(`,top,main,${child}`)).toBe(true)
    const spans = (await exported("otlp"))
      .trimEnd()
      .split("\n")
      .flatMap((line) => JSON.parse(line).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap((scope) => scope.spans)
    const roots = spans.filter(({ name }) => name.startsWith("invoke_agent"))
    const top = roots.find(({ name }) => name === "invoke_agent planner")
    const below = roots.filter(({ name }) => name !== "invoke_agent planner")
    expect(below).toHaveLength(2)
    for (const { links, attributes } of below) {
      expect(links).toEqual([{ traceId: top.traceId, spanId: top.spanId }])
      expect(attributes).toContainEqual({ key: "hindcast.task.parent", value: { stringValue: "top" } })
    }
    expect(top).not.toHaveProperty("links")
    expect(await exported("html", "--task", child)).toContain("started by task <code>top</code>")
  })
})
