/** Conformance tests of personal data with available keys. The suite of personal data tests shredding. */

import { Effect } from "effect"
import { expect } from "vitest"
import { type AppendRequest, EventLog } from "../log/EventLog.ts"
import { ID_1, note, readAll, type Test, textOf, withIds } from "./given.ts"

export const sealing = (test: Test): void => {
  test(
    "personal fields read as they were given while their key exists, and each event says that it has some",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { events } = yield* log.append({ ...note("a", ["Anna lives here", "and Levin there"]), subject: "anna" })
      yield* log.append(note("a", ["the weather is fine"]))
      yield* log.append({ ...note("a", ["x".repeat(300_000)]), subject: "anna" })
      yield* log.append({ ...note("b", ["someone else"]), subject: "levin" })
      const found = yield* readAll(log)
      expect(found.slice(0, 2)).toEqual(events)
      expect(found.map(textOf)).toEqual([
        ...["Anna lives here", "and Levin there", "the weather is fine", "x".repeat(300_000), "someone else"],
      ])
      expect(found.map(({ personal }) => personal?.readable)).toEqual([true, true, undefined, true, true])
      const keys = found.map(({ personal }) => personal?.keyId)
      expect(new Set(keys).size).toBe(3)
      expect([keys[0], keys[0]]).toEqual([keys[1], keys[3]])
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 5 })
    }),
  )

  test(
    "a retry of personal fields is recognised, and other content is refused",
    Effect.gen(function* () {
      const log = yield* EventLog
      const request = (text: string) => ({ ...withIds(note("a", [text]), [ID_1]), subject: "anna" })
      const first = yield* log.append(request("secret"))
      expect(yield* log.append(request("secret"))).toEqual(first)
      expect(yield* Effect.flip(log.append(request("other")))).toMatchObject({ _tag: "IdReused", position: 1 })
      expect((yield* log.head).position).toBe(1)
    }),
  )

  test(
    "a subject is refused if no event of the append has a personal field, because nothing would be encrypted",
    Effect.gen(function* () {
      const log = yield* EventLog
      const tag = { type: "TagAdded" as const, payload: { about: "anna", tag: "novel" } }
      const error = yield* Effect.flip(log.append({ stream: "a", actor: "human:test", subject: "anna", events: [tag] }))
      expect(error._tag).toBe("InvalidEvent")
      expect(error.message).toContain("expected an event whose type declares personal fields, found none")
      expect((yield* log.head).position).toBe(0)
    }),
  )

  const opened = { type: "TaskOpened" as const, payload: { goal: "visit Anna", measures: [], agent: "a@1" } }
  const inTask = (events: AppendRequest["events"], more: Partial<AppendRequest> = {}): AppendRequest => ({
    stream: "task/t",
    taskId: "t",
    actor: "human:test",
    events,
    ...more,
  })
  const remark = (text: string) => ({ type: "NoteAdded" as const, payload: { about: "t", text } })

  test(
    "a task's personal data is under the key of the subject it was opened for, in every stream and timeline",
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append(inTask([opened], { subject: "anna" }))
      yield* log.append(inTask([remark("she is in"), { type: "TaskContinued", payload: { by: "human:test" } }]))
      yield* log.append(inTask([remark("she spoke")], { stream: "plugin/ears" }))
      yield* log.append(inTask([remark("in a fork")], { timeline: "fork-1" }))
      yield* log.append({ ...note("x", ["brought along"]), with: [inTask([remark("as a part")])] })
      yield* log.append({ ...note("scores/1/model", ["about it"]), subjectOfTask: "t" })
      yield* log.append({ stream: "task/t", actor: "human:test", events: [remark("without its task's name")] })
      yield* log.append(note("elsewhere", ["of no task"]))
      const found = yield* readAll(log)
      const [first, ...rest] = found.map(({ personal }) => personal?.keyId)
      expect(first).toBeTypeOf("string")
      expect(rest).toEqual([first, undefined, first, first, undefined, first, first, first, undefined])
      expect(found.map(textOf)).toEqual([
        ...[undefined, "she is in", undefined, "she spoke", "in a fork", "brought along", "as a part", "about it"],
        ...["without its task's name", "of no task"],
      ])
    }),
  )

  test(
    "a task that was opened for nobody has no subject, even if other data of it has one",
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append(inTask([opened]))
      yield* log.append(inTask([remark("about Anna")], { subject: "anna" }))
      yield* log.append(inTask([remark("the weather is fine")]))
      expect((yield* readAll(log)).map(({ personal }) => personal === undefined)).toEqual([true, false, true])
    }),
  )
}
