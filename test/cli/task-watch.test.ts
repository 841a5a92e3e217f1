import { afterAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

describe("hindcast task watch", () => {
  it("follows a task on its own timeline: on main, or on that of a fork", async () => {
    const log = ["--log", place.file("log.db")]
    const agent = ["--agent", inRepository("examples", "agents", "balances.mjs")]
    const cart = ["--plugin", inRepository("packages", "worlds", "cart-pole"), "--sandbox", "flags"]
    const { taskId } = await document(["run", ...log, ...agent, ...cart, "--goal", "Balance", "--max-steps", "3"])
    const commands = async (timeline: ReadonlyArray<string>) => {
      const watched = await hindcast(["task", "watch", String(taskId), "--json", ...log, ...timeline])
      expect(watched).toMatchObject({ code: 0, stderr: "" })
      const events = watched.stdout
        .trimEnd()
        .split("\n")
        .map((line): { readonly type: string } => JSON.parse(line))
      expect(events.at(-1)?.type).toBe("TaskClosed")
      return events.filter(({ type }) => type === "ActuatorCommanded").length
    }
    const { events } = await document(["log", "ls", "--type", "ActuatorCommanded", ...log])
    const [, second] = events as ReadonlyArray<{ readonly position: number }>
    const from = `@${(second?.position ?? 0) - 1}`
    await document(["fork", from, ...log, ...agent, "--timeline", "other", "--max-steps", "7", "--sandbox", "flags"])
    expect(await commands([])).toBe(3)
    const { steps } = await document(["audit", String(taskId), ...log, "--timeline", "other"])
    expect(steps).toBeGreaterThan(3)
    expect(await commands(["--timeline", "other"])).toBe(steps)
    const unknown = await hindcast(["task", "watch", String(taskId), "--timeline", "none", ...log])
    expect(unknown.stderr).toContain('There is no timeline "none" in this log.')
  })
})
