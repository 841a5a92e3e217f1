import * as fs from "node:fs"
import * as path from "node:path"
import { Readable } from "node:stream"
import { it } from "@effect/vitest"
import { Effect, Exit, Scope, TestClock } from "effect"
import { describe, expect, vi } from "vitest"
import * as Listener from "../../src/listeners/index.ts"
import type * as ListenerModule from "../../src/listeners/Listener.ts"
import type { Json } from "../../src/values/Json.ts"
import { temporaryDirectory } from "../temporary.ts"
import { echo, eventsOf, lasting, until } from "./given.ts"

const contents = Effect.map(eventsOf("SignalReceived"), (events) =>
  events.map(({ payload }) => payload.content as Json),
)

describe("lines", () => {
  it.scopedLive("are a signal each, until their input ends and their tasks are done", () =>
    Effect.gen(function* () {
      const { run } = yield* lasting()
      const input = Readable.from([
        Buffer.from("one\ntw"),
        Buffer.from("o\r\n\nthree, a long one\n"),
        Buffer.from("end"),
      ])
      const listeners = [Listener.lines({ name: "in", input, maxBytes: 10 })]
      const { ended } = yield* run(Listener.serve({ listeners, rules: [{ agent: echo }] }))
      yield* ended
      expect(yield* run(contents)).toEqual(["one", "two", "end"])
      expect(yield* run(eventsOf("TaskClosed"))).toHaveLength(3)
      const [stopped] = yield* run(eventsOf("ListenerStopped"))
      expect(stopped?.payload).toEqual({ listener: "in", reason: "its input ended" })
    }),
  )

  it.scopedLive("of JSON have ids of their own; what is no JSON is dropped", () =>
    Effect.gen(function* () {
      const { run } = yield* lasting()
      const input = Readable.from(['{"id":"a","n":1}\n{"id":"a","n":2}\n{oops\n[1]\n'])
      const listeners = [Listener.lines({ name: "in", input, format: "json" })]
      const { ended } = yield* run(Listener.serve({ listeners, rules: [] }))
      yield* ended
      expect(yield* run(contents)).toEqual([{ id: "a", n: 1 }, [1]])
    }),
  )
})

describe("lines that no log takes", () => {
  it.scopedLive("are dropped, and those after them are signals", () =>
    Effect.gen(function* () {
      const { run } = yield* lasting()
      const bad = [{ id: "x".repeat(301) }, { text: "\ud800" }].map((line) => `${JSON.stringify(line)}\n`)
      const input = Readable.from(['{"id":"a"}\n', ...bad, '{"id":"b","__proto__":{"n":1}}\n'])
      const listeners = [Listener.lines({ name: "in", input, format: "json" })]
      const { ended } = yield* run(Listener.serve({ listeners, rules: [] }))
      yield* ended
      expect((yield* run(eventsOf("SignalReceived"))).map(({ payload }) => payload.id)).toEqual(["a", "b"])
      expect(yield* run(eventsOf("ListenerFailed"))).toEqual([])
    }),
  )
})

describe("the files of a directory", () => {
  it.scopedLive("that change while they are read are signals once they stay", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const directory = path.join(home, "inbox")
      fs.mkdirSync(directory)
      fs.writeFileSync(path.join(directory, "a.txt"), "one half")
      const open = fs.promises.open
      const spied = vi.spyOn(fs.promises, "open").mockImplementationOnce(async (file, flags) => {
        const handle = await open(file, flags)
        const read = handle.readFile.bind(handle)
        handle.readFile = (async () => {
          const bytes = await read()
          fs.appendFileSync(String(file), ", the other")
          return bytes
        }) as typeof handle.readFile
        return handle
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => spied.mockRestore()))
      const { run } = yield* lasting(home)
      yield* run(Listener.serve({ listeners: [Listener.files({ name: "inbox", directory, everyMs: 10 })], rules: [] }))
      yield* run(until("SignalReceived", 1))
      expect((yield* run(contents)).map((content) => Reflect.get(Object(content), "text"))).toEqual([
        "one half, the other",
      ])
    }),
  )

  it.scopedLive("do not stop at one that cannot be read, or that no event can hold", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const directory = path.join(home, "inbox")
      fs.mkdirSync(directory)
      for (const name of ["forbidden", "z"]) fs.writeFileSync(path.join(directory, `${name}.txt`), name)
      fs.writeFileSync(path.join(directory, "huge.txt"), "x".repeat(9 * 1024 * 1024))
      const open = fs.promises.open
      const spied = vi.spyOn(fs.promises, "open").mockImplementation(async (file, flags) => {
        if (String(file).endsWith("forbidden.txt")) throw Object.assign(new Error("EACCES"), { code: "EACCES" })
        return await open(file, flags)
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => spied.mockRestore()))
      const { run } = yield* lasting(home)
      const maxBytes = 20 * 1024 * 1024
      yield* run(
        Listener.serve({ listeners: [Listener.files({ name: "inbox", directory, everyMs: 10, maxBytes })], rules: [] }),
      )
      yield* run(until("SignalReceived", 1))
      expect(yield* run(contents)).toEqual([{ path: path.join(directory, "z.txt"), bytes: 1, text: "z" }])
      expect(yield* run(eventsOf("ListenerFailed"))).toEqual([])
    }),
  )

  it.scopedLive("are a signal each, once, also for the next process; a new content is a new signal", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const directory = path.join(home, "inbox")
      fs.mkdirSync(directory)
      const write = (name: string, content: string | Buffer) => fs.writeFileSync(path.join(directory, name), content)
      write("a.txt", "A")
      write(".hidden.txt", "not this")
      write("b.bin", "not this")
      fs.mkdirSync(path.join(directory, "c.txt"))
      fs.symlinkSync("/etc/hostname", path.join(directory, "link.txt"))
      const listener = () => Listener.files({ name: "inbox", directory, suffix: ".txt", everyMs: 10, maxBytes: 100 })
      const { run } = yield* lasting(home)
      const first = yield* Scope.make()
      const serve = Scope.extend(Listener.serve({ listeners: [listener()], rules: [] }), first)
      yield* run(serve)
      yield* run(until("SignalReceived", 1))
      write("d.txt", Buffer.from([0xff, 0xfe]))
      write("e.txt", "x".repeat(200))
      yield* run(until("SignalReceived", 3))
      yield* Scope.close(first, Exit.void)
      write("a.txt", "A, changed")
      yield* run(Listener.serve({ listeners: [listener()], rules: [] }))
      yield* run(until("SignalReceived", 4))
      const found = yield* run(contents)
      expect(found[0]).toEqual({ path: path.join(directory, "a.txt"), bytes: 1, text: "A" })
      expect(found.slice(1, 3)).toEqual(
        expect.arrayContaining([
          { path: path.join(directory, "d.txt"), bytes: 2 },
          { path: path.join(directory, "e.txt"), bytes: 200 },
        ]),
      )
      expect(found.slice(3)).toEqual([{ path: path.join(directory, "a.txt"), bytes: 10, text: "A, changed" }])
    }),
  )

  it.scopedLive("that are missing fail the listener, which starts again once they are there", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const directory = path.join(home, "inbox")
      const { run } = yield* lasting(home)
      yield* run(Listener.serve({ listeners: [Listener.files({ name: "inbox", directory })], rules: [] }))
      const [failed] = yield* run(eventsOf("ListenerFailed"))
      expect(failed?.payload).toMatchObject({ listener: "inbox", reason: expect.stringContaining("ENOENT") })
      expect(failed?.payload.restartInMs).toBeGreaterThan(0)
      fs.mkdirSync(directory)
      yield* run(until("ListenerStarted", 1))
    }),
  )
})

describe("a schedule", () => {
  it.scoped("is a signal at each of its times, which counts once", () =>
    Effect.gen(function* () {
      const emitted: Array<unknown> = []
      const listener = Listener.cron({
        name: "daily",
        schedule: "30 9 * * 1-5",
        timeZone: "Europe/Berlin",
        content: "report",
      })
      const context: ListenerModule.ListenerContext = {
        name: "daily",
        emitInput: (signal) =>
          Effect.sync(() => {
            emitted.push(signal)
            return { id: "", position: 1, duplicate: false }
          }),
        fail: (cause) => emitted.push(cause),
        end: () => undefined,
      }
      const minutesAround = (day: string) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(Date.parse(`${day}T08:29:00Z`))
          yield* listener.onStart(context)
          yield* TestClock.adjust("3 minutes")
        }).pipe(Effect.scoped)
      // A Friday in winter, the weekend, and a Monday.
      yield* Effect.forEach(["2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05"], minutesAround)
      expect(emitted).toEqual(
        ["02", "05"].map((day) => {
          const time = `2026-01-${day}T08:30:00.000Z`
          return { id: time, content: { time, content: "report" } }
        }),
      )
    }),
  )

  it("that never comes, or is none, is a mistake", () => {
    for (const schedule of ["30 9 * *", "61 * * * *", "0 0 30 2 *", "* * * * * *", "hourly"]) {
      expect(() => Listener.cron({ name: "c", schedule })).toThrow(/schedule: expected five fields/)
    }
    expect(() => Listener.cron({ name: "c", schedule: "* * * * *", timeZone: "Mars/Base" })).toThrow(/a time zone/)
  })
})

describe("a listener of the program", () => {
  it.scopedLive("is started again after a failure, and stopped with the serving", () =>
    Effect.gen(function* () {
      const { run } = yield* lasting()
      const calls: Array<string> = []
      const listener = Listener.define({
        name: "own",
        onStart: ({ emitInput, fail }) =>
          Effect.gen(function* () {
            calls.push("start")
            if (calls.length === 1) return yield* Effect.fail(new Error("no connection"))
            yield* emitInput({ id: "x", content: calls.length })
            if (calls.length === 2) fail(new Error("it broke"))
          }),
        onStop: () => Effect.sync(() => void calls.push("stop")),
      })
      const open = yield* Scope.make()
      yield* run(Scope.extend(Listener.serve({ listeners: [listener], rules: [{ agent: echo }] }), open))
      yield* run(until("ListenerStarted", 2))
      yield* Scope.close(open, Exit.void)
      expect(calls).toEqual(["start", "start", "stop", "start", "stop"])
      const failed = yield* run(eventsOf("ListenerFailed"))
      expect(failed.map(({ payload }) => payload.reason)).toEqual(["no connection", "it broke"])
      const stopped = yield* run(eventsOf("ListenerStopped"))
      expect(stopped.map(({ payload }) => payload.reason)).toEqual(["its host stopped"])
      // It emitted the same signal twice.
      expect(yield* run(contents)).toEqual([2])
    }),
  )
})
