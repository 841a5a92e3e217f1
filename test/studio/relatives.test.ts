import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type CoreNewEvent, EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import type { Relatives } from "../../src/studio/wire/Task.ts"
import { append } from "./browser/writing.ts"
import { page, query, served } from "./given.ts"

let directory: string
let file: string

const DIGEST = "0".repeat(64)
const PROMPT = "Read the old letters and say who wrote them."

const opening = (goal: string, rest: object = {}, given: object = {}): CoreNewEvent => ({
  type: "TaskOpened",
  payload: { goal, measures: [], agent: "reader@1", seed: 1, ...rest },
  ...given,
})

const call = (commandId: string, args: object, given: object = {}): CoreNewEvent => ({
  type: "ActuatorCommanded",
  payload: { commandId, actuator: "Task", args: { ...args }, argsDigest: DIGEST, priority: 0 },
  ...given,
})

const from = (parent: string) => ({ environment: { "claude-code": { parent } } })

const CAUSE = "0198aaaa-0000-7000-8000-000000000001"

beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-relatives-"))
  file = path.join(directory, "family.db")
  await append(file, "main", [
    opening("Find out who wrote the letters"),
    call("a", { description: "letters", prompt: `${PROMPT}\n` }),
    call("b", { prompt: PROMPT }),
    call("c", { prompt: "__proto__" }, { id: CAUSE }),
    call("d", { prompt: ["Read nothing of this at all, please."] }),
  ])
  // Two children with the same prompt belong to two calls, in order.
  await append(file, "one", [opening(PROMPT, from("main")), { type: "TaskClosed", payload: { outcome: "failed" } }])
  await append(file, "two", [opening(` ${PROMPT}`, from("main"))])
  await append(file, "caused", [opening("Something else", {}, { causationId: CAUSE })])
  await append(file, "other", [opening("Nobody asked for this in words", from("main"))])
  await append(file, "__proto__", [opening("x", from("constructor"))])
  await append(file, "own", [opening("its own parent, it says", from("own"))])
})
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

const of = (task: string, log = file): Promise<Relatives> =>
  page.pipe(
    Effect.flatMap(({ get }) => get<Relatives>(`/api/relatives?${query({ task })}`)),
    Effect.provide(served(log)),
    Effect.scoped,
    Effect.runPromise,
  )

describe("the relatives of a task", () => {
  it("are the tasks that its calls started, as the log tells or as the same prompt suggests", async () => {
    const { parent, children, left } = await of("main")
    expect({ parent, left }).toEqual({ parent: null, left: 0 })
    expect(children.map(({ task, call, isInferred }) => [task, call, isInferred])).toEqual([
      ["one", 2, true],
      ["two", 3, true],
      ["caused", 4, false],
      ["other", null, false],
    ])
    expect(children[0]).toMatchObject({ goal: PROMPT, agent: "reader@1", outcome: "failed", activity: null })
  })

  it("lead back to the call", async () => {
    expect(await of("two")).toMatchObject({ parent: { task: "main", call: 3, isInferred: true }, children: [] })
    expect(await of("caused")).toMatchObject({ parent: { task: "main", call: 4, isInferred: false } })
    expect(await of("other")).toMatchObject({ parent: { task: "main", call: null } })
  })

  it("are not inferred from a call that started another task, nor for more children than are listed", async () => {
    const many = path.join(directory, "many.db")
    await Effect.gen(function* () {
      const log = yield* EventLog
      const write = (task: string, events: ReadonlyArray<CoreNewEvent>) =>
        log.append({ stream: `task/${task}`, taskId: task, actor: "kernel", events: [...events] })
      const calls = Array.from({ length: 503 }, (_, index) =>
        call(`c${index}`, { one: PROMPT, other: `${PROMPT} ` }, index === 0 ? { id: CAUSE } : {}),
      )
      yield* write("main", [opening("Find out who wrote the letters"), ...calls])
      yield* write("caused", [opening(PROMPT, {}, { causationId: CAUSE })])
      for (let index = 0; index < 501; index++) yield* write(`child${index}`, [opening(PROMPT, from("main"))])
    }).pipe(Effect.provide(SqliteEventLog.layer({ filename: many })), Effect.runPromise)
    const { children, left } = await of("main", many)
    expect(left).toBe(2)
    expect(children.map(({ call }) => call)).toEqual(Array.from({ length: 500 }, (_, index) => index + 2))
    expect((await of("child498", many)).parent).toMatchObject({ task: "main", call: 501, isInferred: true })
    expect((await of("child499", many)).parent).toMatchObject({ task: "main", call: null })
    expect((await of("caused", many)).parent).toMatchObject({ task: "main", call: 2, isInferred: false })
  })

  it("are no tasks that the log does not have, whatever they are called", async () => {
    expect(await of("__proto__")).toEqual({ parent: null, children: [], left: 0 })
    expect(await of("own")).toEqual({ parent: null, children: [], left: 0 })
  })
})
