import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, Either, ManagedRuntime } from "effect"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { type CoreNewEvent, EventLog } from "../../src/events/log/EventLog.ts"
import * as MemoryEventLog from "../../src/events/memory/MemoryEventLog.ts"
import * as Purging from "../../src/workspace/history/Purging.ts"
import { ContentStore, digestOf } from "../../src/workspace/store/ContentStore.ts"
import { fileOf } from "../../src/workspace/store/StoreFile.ts"
import * as TaskFiles from "../../src/workspace/TaskFiles.ts"
import * as Workspaces from "../../src/workspace/Workspaces.ts"

const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-purging-")))
afterAll(() => fs.rmSync(base, { recursive: true, force: true }))
const ends: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

let made = 0

const ONE = digestOf(Buffer.from("one"))

/** A directory whose file `a` was "one", is "two", and is about to be "one" again; and a purge in another process. */
const given = async () => {
  const root = path.join(base, `root${++made}`)
  const file = path.join(base, `log${made}`)
  fs.mkdirSync(root)
  fs.writeFileSync(file, "")
  const runtime = ManagedRuntime.make(MemoryEventLog.layer())
  const log = await runtime.runPromise(EventLog)
  /** What happens right before the events of a look are appended. */
  const steps: Array<() => unknown> = []
  const tell = async (...events: ReadonlyArray<CoreNewEvent>) => {
    await steps.shift()?.()
    for (const event of events)
      await runtime.runPromise(log.append({ stream: "task/t", taskId: "t", actor: "x", events: [event] }))
  }
  const recorder = (past: TaskFiles.TaskFilesOptions["past"] = []) => {
    const workspaces = Workspaces.make({ log: file, hasSecret: () => false })
    ends.push(workspaces.close)
    return TaskFiles.make({ workspaces, root, past, openedBy: "01890000-0000-7000-8000-000000000000", tell })
  }
  const write = (text: string) => fs.writeFileSync(path.join(root, "a"), text)
  const files = recorder()
  write("one")
  await files.look()
  write("two")
  await files.look()
  const store = ContentStore.open(fileOf(file))
  ends.push(
    () => runtime.dispose(),
    () => store.close(),
  )
  const { position: until } = await runtime.runPromise(log.head)
  const purge = (digests: ReadonlyArray<string> = [ONE], forever = false) =>
    runtime.runPromise(Effect.either(Purging.purge(log, store, { digests: new Set(digests), until, forever })))
  write("one")
  return { root, files, store, steps, purge, recorder, write, log, runtime }
}

describe("a purge of earlier contents", () => {
  it("removes them, and returns their sizes", async () => {
    const { purge, store } = await given()
    expect(await purge()).toEqual(Either.right({ sizes: new Map([[ONE, 3]]), isOverwritten: true }))
    expect(store.has(ONE)).toBe(false)
    expect(await purge()).toEqual(Either.right({ sizes: new Map(), isOverwritten: true }))
  })

  it("keeps a content that a look named meanwhile", async () => {
    const { files, purge, store } = await given()
    await files.look()
    expect(await purge()).toMatchObject(Either.right({ sizes: new Map() }))
    expect(store.has(ONE)).toBe(true)
    // A file that somebody wants to be gone for good goes.
    expect(await purge([ONE], true)).toMatchObject(Either.right({ sizes: new Map([[ONE, 3]]) }))
    expect(store.has(ONE)).toBe(false)
  })

  it("takes nothing from a look that has read the file, and has not told the log yet", async () => {
    const { files, steps, purge, store } = await given()
    let removed = false
    steps.push(async () => {
      await purge()
      removed = !store.has(ONE)
    })
    await files.look()
    expect(removed).toBe(true)
    expect(store.has(ONE)).toBe(true)
  })

  it("takes nothing from a recorder that knows the file since long before, nor from one that died before it told the log", async () => {
    const { files, steps, purge, store, recorder, runtime, log } = await given()
    steps.push(() => {
      throw new Error("the disk is full")
    })
    await expect(files.look()).rejects.toThrow("the disk is full")
    await purge()
    expect(store.has(ONE)).toBe(false)
    await files.look()
    expect(store.has(ONE)).toBe(true)

    const later = await given()
    later.steps.push(() => {
      throw new Error("killed")
    })
    await expect(later.files.look()).rejects.toThrow("killed")
    expect(later.store.remembered(later.root).map(([file]) => file)).toEqual(["a"])
    await later.purge()
    expect(later.store.has(ONE)).toBe(false)
    // The next recorder reads the file again, however long it has been unchanged.
    expect(later.store.remembered(later.root)).toEqual([])
    const past = await later.runtime.runPromise(later.log.readPage({ taskId: "t" }, 100))
    await later.recorder(past).look()
    expect(later.store.has(ONE)).toBe(true)
    await recorder(await runtime.runPromise(log.readPage({ taskId: "t" }, 100))).look()
  })

  it("removes nothing if it cannot know what later looks need, and keeps nobody from writing", async () => {
    const { purge, store, runtime, log, files, write } = await given()
    const state = { root: "/elsewhere", base: "0".repeat(64), files: {} }
    await runtime.runPromise(
      log.append({
        stream: "task/u",
        taskId: "u",
        actor: "x",
        events: [{ type: "EnvironmentReset", payload: { plugin: "workspace", seed: 0, options: {}, state } }],
      }),
    )
    expect(await purge()).toMatchObject({ left: { _tag: "StoreUnavailable", reason: Purging.LACKS_A_START } })
    expect(store.has(ONE)).toBe(true)
    write("three")
    await files.look()
    expect(store.has(digestOf(Buffer.from("three")))).toBe(true)
  })
})
