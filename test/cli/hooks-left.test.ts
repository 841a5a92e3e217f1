import { spawn } from "node:child_process"
import { afterAll, describe, expect, it } from "vitest"
import { appended, asked } from "../hooks/questions.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, listed, start } from "./hindcast.ts"
import { at, bash, HOOK, hook, startHook } from "./hookCommand.ts"

const place = workplace()
afterAll(() => place.remove())

const RULES =
  "rules:\n  - { name: ask-push, shell: ['git push*'], decision: confirm, confirmWithinMs: 300000 }\ndefault: allow\n"

/** A hook server of its own, with rules that ask about a push. */
const served = async (name: string) => {
  const env = { HINDCAST_STATE: place.file(`${name}-state`), CLAUDE_CONFIG_DIR: place.file(`${name}-claude`) }
  const log = place.file(`${name}.db`)
  const rules = place.file(`${name}.yaml`, RULES)
  await hindcast(["hooks", "install", "claude-code", "--log", log, "--gate", rules, "--no-check"], { env })
  const serve = async () => {
    const server = start(["hooks", "serve", "--json"], { env })
    await new Promise((resolve) => server.child.stdout.once("data", resolve))
    return server
  }
  const typesOf = async (callId: string) => {
    const events = (await listed(["--log", log, "--limit", "100"])) as ReadonlyArray<Record<string, unknown>>
    return events.filter(({ payload }) => JSON.stringify(payload).includes(`/${callId}"`)).map(({ type }) => type)
  }
  return { env, log, serve, typesOf }
}

const NEVER_DISPATCHED = ["ActuatorCommanded", "ConfirmationRequested", "CommandDenied"]

describe("a call that waits for a person", () => {
  it("is never dispatched once its client was killed, and a later approval says so", async () => {
    const { env, log, serve, typesOf } = await served("client")
    const server = await serve()
    const { child, ended } = startHook(at("PreToolUse", bash("git push", "c1")), env)
    const id = await asked(log)
    child.kill("SIGKILL")
    await ended
    await appended(log, "CommandDenied")
    const late = await hindcast(["confirm", "approve", id, "--log", log])
    expect(late.code).not.toBe(0)
    expect(late.stderr).toMatch(/withdrawn at @\d+: its client no longer waits/)
    expect(await typesOf("c1")).toEqual(NEVER_DISPATCHED)
    server.child.kill("SIGINT")
    await server.ended
  })

  it("is never dispatched once its client was killed and left the hook behind", async () => {
    const { env, log, serve, typesOf } = await served("orphan")
    const server = await serve()
    const file = place.file("payload.json", JSON.stringify(at("PreToolUse", bash("git push", "c1"))))
    const script = '"$0" "$1" claude-code < "$2" & wait'
    const client = spawn("sh", ["-c", script, process.execPath, HOOK, file], { env: { ...process.env, ...env } })
    const id = await asked(log)
    client.kill("SIGKILL")
    await appended(log, "CommandDenied")
    const late = await hindcast(["confirm", "approve", id, "--log", log])
    expect(late.stderr).toMatch(/withdrawn at @\d+: its client no longer waits/)
    expect(await typesOf("c1")).toEqual(NEVER_DISPATCHED)
    server.child.kill("SIGINT")
    await server.ended
  })

  it("is never dispatched once the server was killed: the next one says so at its start, once", async () => {
    const { env, log, serve, typesOf } = await served("server")
    const server = await serve()
    await hook(at("PreToolUse", bash("npm test", "ran")), env)
    const { ended } = startHook(at("PreToolUse", bash("git push", "c1")), env)
    const id = await asked(log)
    server.child.kill("SIGKILL")
    await server.ended
    expect(await ended).toMatchObject({ code: 2, stderr: expect.stringContaining("this call is refused") })
    for (let times = 0; times < 2; times++) {
      const next = await serve()
      next.child.kill(times === 0 ? "SIGKILL" : "SIGINT")
      await next.ended
    }
    const late = await hindcast(["confirm", "approve", id, "--log", log])
    expect(late.stderr).toMatch(/withdrawn at @\d+: its client no longer waits/)
    expect(await typesOf("c1")).toEqual(NEVER_DISPATCHED)
    // It may still run: its session goes on.
    expect((await typesOf("ran")).at(-1)).toBe("CommandDispatched")
    const { tasks } = (await document(["task", "ls", "--log", log])) as { tasks: ReadonlyArray<{ outcome: unknown }> }
    expect(tasks).toEqual([expect.objectContaining({ outcome: null })])
  })
})
