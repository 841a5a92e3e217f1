import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { afterEach, describe, expect, it } from "vitest"
import { record } from "../../src/record/index.ts"
import { program } from "../built.ts"
import { inContainer } from "../container.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { inRepository } from "../repository.ts"

const HOLDING = program(import.meta.url, "holding")
const RECORDING = inRepository("test", "record", "programs", "busy.mjs")

const children: Array<ChildProcess> = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
})

/** Starts a program in a container of its own, and waits for its first line. */
const started = async (name: string, ...line: ReadonlyArray<string>) => {
  const [command, args] = inContainer(name, ...line)
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
  children.push(child)
  const [said] = await once(child.stdout, "data")
  return { child, said: String(said).trim() }
}

const ended = async (child: ChildProcess) => {
  child.stdin?.end("go on\n")
  if (child.exitCode === null && child.signalCode === null) await once(child, "close")
  return child.exitCode
}

/** How the tasks of a log ended, by their goals or ids. */
const outcomes = async (log: string) =>
  (await eventsOf(log)).flatMap(({ type, payload, taskId }) =>
    type === "TaskClosed" ? [[taskId, payload.outcome, payload.reason]] : [],
  )

describe("programs in two containers with one log on a shared volume", () => {
  it("record side by side, also beside one outside: none closes another's run", async () => {
    const log = temporary("containers.db")
    const first = await started("one", RECORDING, log, "first", "2")
    const second = await started("two", RECORDING, log, "second", "2")
    const outside = await record({ log, goal: "Record outside", agent: "tester", id: "outside" })
    expect(await outcomes(log)).toEqual([])
    expect([await ended(first.child), await ended(second.child)]).toEqual([0, 0])
    await outside.end("achieved")
    expect((await outcomes(log)).sort()).toEqual(
      ["first", "outside", "second"].map((id) => [id, "achieved", undefined]),
    )
  })

  it("have one kernel: the second is refused while the first lives, however alike the containers are", async () => {
    const log = temporary("lease.db")
    const first = await started("same", HOLDING, log, "first")
    expect(first.said).toBe("holds")
    expect((await started("same", HOLDING, log, "second")).said).toBe("LeaseHeld")
    expect(await ended(first.child)).toBe(0)
    expect((await outcomes(log)).map(([, outcome]) => outcome)).toEqual(["achieved"])
  })
})
