import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)
const log = place.file("log.db")
let task: string
let other: string
/** The position of the event that holds the steps of the first episode. */
let steps: number

beforeAll(async () => {
  const policy = inRepository("examples", "policies", "balances.mjs")
  const options = ["--policy", policy, "--episodes", "2", "--seed", "1", "--max-steps", "40"]
  expect((await hindcast(["rollout", "cart-pole", ...options, "--log", log])).code).toBe(0)
  const [first, second] = (await document(["task", "ls", "--log", log])).tasks as ReadonlyArray<{ readonly id: string }>
  ;[task, other] = [first?.id ?? "", second?.id ?? ""]
  const { events } = (await document(["log", "ls", "--type", "StepsRecorded", "--log", log])) as {
    readonly events: ReadonlyArray<{ readonly position: number; readonly taskId: string }>
  }
  steps = events.find(({ taskId }) => taskId === task)?.position ?? 0
}, 120_000)

/** Every command that reads a log, with `TASK`, `OTHER` and `STEP` for a task, another one and a step of the first. */
const READING = [
  ...["log verify", "log doctor", "log info", "log ls", "log ls --type SensorRead", "log show STEP", "log snapshot"],
  ...["task ls", "task show TASK", "audit TASK", "audit --all", "audit --trend", "score ls", "compare return return"],
  ...["state --at STEP", "why STEP", "why TASK", "effects STEP", "align TASK OTHER", "search cart"],
  ...["blame /tasks/TASK/environment/cart-pole/position", "history /tasks/TASK/environment/cart-pole/angle"],
  ...['bisect --when event.type=="TaskClosed"', "watch --when position>2"],
  ...["export events", "export events --format parquet", "export audits", "export audits --format parquet"],
  ...["export audits --format csv", "export transitions", "export transitions --format parquet", "export otlp"],
  ...["export trajectories", "export trajectories --format parquet", "export trajectories --format csv"],
  ...["export trajectories --format minari"],
  ...["export mcap", "export piaavt", "export html", "export studio TASK", "task bundle TASK"],
]

describe("a log with compact episodes", () => {
  it.each(READING)("is read by `%s`", async (line) => {
    const words = line
      .split(" ")
      .map((word) => word.replace("TASK", task).replace("OTHER", other).replace("STEP", `@${steps}#7`))
    const file = place.file(`out-${READING.indexOf(line)}`)
    const [output] = words[0] === "export" ? ["--output"] : line.startsWith("task bundle") ? ["--out"] : []
    const { code, stderr } = await hindcast([...words, ...(output === undefined ? [] : [output, file]), "--log", log])
    expect([line, code, code === 0 ? "" : stderr]).toEqual([line, 0, ""])
    if (output !== undefined) expect(fs.statSync(file).size).toBeGreaterThan(0)
  })

  it("names steps by addresses, which commands take", async () => {
    const { stdout } = await hindcast(["why", `@${steps}#7`, "--log", log])
    expect(stdout).toContain(`@${steps}#7 ActuatorCommanded`)
    const { position } = await document(["log", "show", `@${steps}#7`, "--log", log])
    expect(Number.isInteger(position)).toBe(false)
    const again = await document(["log", "show", `main@${position}`, "--log", log])
    expect(again.position).toBe(position)
    const saw = await hindcast(["saw", `@${steps}#7`, "--log", log])
    expect([saw.code, saw.stderr]).toEqual([3, expect.stringContaining(`@${steps}#7: expected a request to a model`)])
    for (const wrong of [`@${steps}#999`, `@${steps}.5`, "@1#0"])
      expect((await hindcast(["log", "show", wrong, "--log", log])).code).toBeGreaterThan(0)
  })

  it("takes notes, stars and labels about a step, about its beginning, and about the whole event", async () => {
    for (const [place, ...words] of [
      [`@${steps}#7`, "note", "a wobble"],
      [`@${steps}#begin`, "star"],
      [`@${steps}`, "note", "all of it"],
    ] as const) {
      const [command = "", ...rest] = words
      expect(await hindcast([command, place, ...rest, "--log", log])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`: ${place}`),
      })
    }
    const { stdout } = await hindcast(["notes", `@${steps}#7`, "--log", log])
    expect(stdout).toContain("a wobble")
    expect(stdout).not.toContain("all of it")
    expect((await hindcast(["notes", `@${steps}`, "--log", log])).stdout).not.toContain("a wobble")
    for (const wrong of [`@${steps}#999`, "@1#0"]) {
      expect(await hindcast(["note", wrong, "no", "--log", log])).toMatchObject({
        code: expect.toSatisfy((code: number) => code > 0),
        stderr: expect.stringContaining(`There is no step ${wrong}`),
      })
    }
  })
})
