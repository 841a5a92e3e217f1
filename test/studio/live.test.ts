import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Sensor from "../../src/kernel/program/Sensor.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import * as Studio from "../../src/studio/Studio.ts"
import type { Live, Question } from "../../src/studio/wire/Asking.ts"
import type { CourseSlice } from "../../src/studio/wire/CourseSlice.ts"
import type { LogInfo } from "../../src/studio/wire/Log.ts"
import type { RubricOfSet } from "../../src/studio/wire/Scoring.ts"
import type { TaskHead, TaskList } from "../../src/studio/wire/Task.ts"
import { temporaryDirectory } from "../temporary.ts"
import { listenTo, page, query, served, type Told } from "./given.ts"

/** Listens to what happens after a position until what was told is enough, and goes away. */
const listen = (
  server: { readonly port: number; readonly token: string },
  after: number,
  isEnough: (told: ReadonlyArray<Told>) => boolean,
) => listenTo(server, `/api/live?after=${after}`, isEnough)

const entriesIn = (told: ReadonlyArray<Told>) =>
  told.flatMap(({ type, data }) => (type === "entries" ? (data as Live).entries : []))

const last = (told: ReadonlyArray<Told>) => entriesIn(told).at(-1)?.position ?? 0

const reading = (value: number) => ({
  type: "SensorRead" as const,
  payload: { sensor: "room/heard", reading: value, priority: 0, latencyMs: 1 },
})

/** A log that another program than Studio writes: its own connection. */
const writing = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const filename = path.join(directory, "log.db")
  const context = yield* Layer.build(SqliteEventLog.layer({ filename }))
  const log = Context.get(context, EventLog)
  const opened = {
    type: "TaskOpened" as const,
    payload: { goal: "Listen", measures: [], agent: "ear@1" },
  }
  yield* log.append({ stream: "task/t", taskId: "t", actor: "kernel", events: [opened] })
  const append = (values: ReadonlyArray<number>) =>
    log.append({ stream: "task/t", taskId: "t", actor: "plugin:room@1", events: values.map(reading) })
  return { filename, append, log, context }
})

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe("what happens", () => {
  it.scopedLive(
    "is told as it comes, without a gap or a double, with what it changed, while another program writes",
    () =>
      Effect.gen(function* () {
        const { filename, append } = yield* writing
        yield* append(numbers(1, 250))
        yield* Effect.gen(function* () {
          const { server, get } = yield* page
          const told = yield* Effect.zipRight(
            Effect.void,
            Effect.map(
              Effect.all(
                [
                  listen(server, 100, (so) => last(so) >= 1_051),
                  Effect.forEach(numbers(0, 39), (round) => append(numbers(251 + round * 20, 270 + round * 20))),
                ],
                { concurrency: "unbounded" },
              ),
              ([first]) => first,
            ),
          )
          const entries = entriesIn(told)
          expect(entries.map(({ position }) => position)).toEqual(numbers(101, 1_051))
          for (const { position, changes } of entries) {
            expect(changes).toEqual([{ op: "replace", path: "/tasks/t/readings/room~1heard", value: position - 1 }])
          }
          for (const { id, type, data } of told) if (type === "entries") expect(id).toBe((data as Live).head)
          expect(told[0]).toMatchObject({ type: "questions", data: [] })
          const { events } = yield* get<TaskHead>("/api/task?task=t")
          expect(events).toBe(1_051)
          const { number, entries: shown } = yield* get<CourseSlice>(`/api/chunk?${query({ task: "t", at: 1_051 })}`)
          expect([number, shown.at(-1)?.payload]).toEqual([5, expect.objectContaining({ reading: 1_050 })])
        }).pipe(Effect.provide(served(filename)))
      }),
  )

  it.scopedLive("goes on after the last position where a server was killed and another one started", () =>
    Effect.gen(function* () {
      const { filename, append } = yield* writing
      yield* append(numbers(1, 10))
      const start = Effect.gen(function* () {
        const scope = yield* Scope.make()
        const context = yield* Scope.extend(Layer.build(served(filename)), scope)
        return { server: Context.get(context, Studio.Studio), kill: Scope.close(scope, Exit.void) }
      })
      const first = yield* start
      const before = yield* listen(first.server, 0, (told) => last(told) >= 11)
      yield* first.kill
      yield* append(numbers(11, 20))
      const second = yield* start
      expect(second.server.token).not.toBe(first.server.token)
      const after = yield* listen(second.server, last(before), (told) => last(told) >= 21)
      yield* second.kill
      expect([...entriesIn(before), ...entriesIn(after)].map(({ position }) => position)).toEqual(numbers(1, 21))
    }),
  )
})

describe("a subject that is shredded while Studio is open", () => {
  it.scopedLive("is forgotten: no chunk, value, search or list has the text any more", () =>
    Effect.gen(function* () {
      const { filename, log, context } = yield* writing
      const secret = "Anna lives in Petersburg"
      yield* log.append({
        stream: "task/t",
        taskId: "t",
        actor: "plugin:room@1",
        subject: "anna",
        events: [{ type: "SensorRead", payload: { sensor: "room/heard", reading: secret, priority: 0, latencyMs: 1 } }],
      })
      yield* Effect.gen(function* () {
        const { send } = yield* page
        const asked = [
          ...["/api/chunk?task=t&number=0", "/api/chunk?number=0", "/api/event?position=2", "/api/tasks"],
          ...[`/api/history?${query({ path: "/tasks/t/readings/room~1heard" })}`, "/api/search?text=petersburg"],
        ]
        const all = Effect.map(
          Effect.forEach(asked, (path) => send(path)),
          (got) => got.map(({ text }) => text).join("\n"),
        )
        expect(yield* all).toContain(secret)
        const personal = Context.get(context, PersonalData)
        yield* personal.shred({ subject: "anna", reason: "she asked", actor: "human:officer" })
        const later = yield* all
        expect(later).not.toContain("Petersburg")
        expect(later).toContain('"unreadable":["reading"]')
      }).pipe(Effect.provide(served(filename)))
    }),
  )
})

/** A kernel that asks a person about `program/write`, in a program with a server of its own. */
const running = (options: Studio.StudioOptions) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const kernel = Hindcast.layer({
      log: path.join(directory, "log.db"),
      seed: 7,
      gate: { default: "allow", rules: [{ name: "ask", actuator: "program/write", decision: "confirm" }] },
      tools: {
        write: Tool.make({
          description: "Writes",
          risk: "high",
          args: WORDS,
          run: ({ words }) => `${words} was written`,
        }),
        note: Tool.make({ description: "Notes", risk: "none", args: WORDS, run: () => "noted" }),
      },
      sensors: { mood: Sensor.make({ description: "The mood", reading: { type: "string" }, read: () => "calm" }) },
    })
    return yield* Layer.build(Layer.provideMerge(Studio.layer(options), kernel))
  })

const WORDS = { type: "object", properties: { words: { type: "string" } }, additionalProperties: false } as const

const writer = {
  name: "writer",
  version: "1.0.0",
  decide: ({ step }: { readonly step: number }) =>
    step < 2
      ? { act: "program/note", args: { words: "one" } }
      : step === 2
        ? { act: "program/write", args: { words: "two" } }
        : { done: "achieved" as const, reason: "It is written." },
}

const brief = {
  name: "brief",
  version: "2.0.0",
  decide: () => ({ done: "failed" as const, reason: "No time." }),
}

/** It says what it read. */
const moody = {
  name: "moody",
  version: "1.0.0",
  decide: ({ readings }: { readonly readings: { readonly [sensor: string]: unknown } }) => ({
    done: "achieved" as const,
    reason: `It is ${readings["program/mood"]}.`,
  }),
}

describe("scenarios in a program", () => {
  it.scopedLive("are listed and edited where the layer was told their directories, which have to be there", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      fs.writeFileSync(path.join(directory, "a.yaml"), "name: a\nmeasures: []\n")
      fs.symlinkSync("loop", path.join(directory, "loop"))
      const nowhere = { directories: [path.join(directory, "nowhere")] }
      const failure = yield* Effect.flip(running({ write: true, scenarios: nowhere }))
      expect(String(failure)).toContain("scenarios.directories[0]: expected a directory, found")
      for (const [none, found] of [
        [path.join(directory, "a.yaml"), "which is not a directory"],
        [path.join(directory, "loop"), "ELOOP"],
        [path.join(directory, "a.yaml", "b"), "ENOTDIR"],
        [path.join(directory, "x".repeat(300)), "ENAMETOOLONG"],
        ["a\0b", "ERR_INVALID_ARG_VALUE"],
      ] as const) {
        const refused = yield* Effect.flip(running({ write: true, scenarios: { directories: [none] } }))
        expect(refused).toMatchObject({ _tag: "InvalidOptions", message: expect.stringContaining(found) })
      }
      const scenarios = { directories: [directory], agents: { writer } }
      const context = yield* running({ write: true, scenarios })
      yield* Effect.gen(function* () {
        const { get, post } = yield* page
        expect(yield* get("/api/scenarios")).toMatchObject({
          files: [{ file: "0/a.yaml", kind: "rubric" }],
          agents: ["writer"],
        })
        const saved = yield* post("/api/scenarios/save", { file: "0/b.yaml", text: "name: b\n", digest: null })
        expect([saved.status, fs.readFileSync(path.join(directory, "b.yaml"), "utf8")]).toEqual([200, "name: b\n"])
        const looked = yield* post("/api/scenarios/look", { text: "{}" })
        expect(looked.status).not.toBe(403)
      }).pipe(Effect.provide(context))
    }),
  )
})

describe("a question", () => {
  it.scopedLive("is answered by the first of two people, for what was shown and nothing else", () =>
    Effect.gen(function* () {
      const context = yield* running({ answer: true, by: "ada" })
      yield* Effect.gen(function* () {
        const { server, get, post } = yield* page
        const { tasks } = yield* Kernel
        const work = yield* Effect.fork(tasks.run(writer, { goal: "Write", id: "t", maxSteps: 9 }))
        const told = yield* listen(server, 0, (so) =>
          so.some(({ type, data }) => type === "questions" && (data as ReadonlyArray<Question>).length > 0),
        )
        const [question] = yield* get<ReadonlyArray<Question>>("/api/questions")
        expect(told.at(-1)?.data).toEqual([question])
        expect(question).toMatchObject({
          timeline: "main",
          task: "t",
          what: "program/write",
          args: { words: "two" },
          risk: "high",
          rule: "ask",
        })
        expect(question?.why.map(({ type }) => type)).toContain("TaskOpened")
        expect((yield* get<TaskList>("/api/tasks")).rows[0]).toMatchObject({ id: "t", outcome: null, waits: 1 })
        const { id = "", digest = "" } = question ?? {}
        const other = yield* post("/api/answers", { question: id, digest: "0".repeat(64), approve: true })
        expect([other.status, other.body.error]).toEqual([409, "OtherQuestion"])
        const nobody = yield* post("/api/answers", { question: "nobody", digest, approve: true })
        expect([nobody.status, nobody.body.error]).toEqual([404, "QuestionNotFound"])
        const answers = yield* Effect.all(
          [true, false].map((approve) => post("/api/answers", { question: id, digest, approve })),
          { concurrency: "unbounded" },
        )
        const statuses = answers.map(({ status }) => status)
        expect([...statuses].sort()).toEqual([200, 409])
        const late = answers.find(({ status }) => status === 409)
        expect(late?.body).toMatchObject({ error: "AlreadyAnswered", message: expect.stringContaining("ada") })
        yield* work
        const decided = yield* (yield* EventLog).readPage({ types: ["ConfirmationDecided"] }, 9)
        expect(decided.map(({ actor, position, payload }) => [actor, position, payload.channel])).toEqual([
          ["human:ada", answers.find(({ status }) => status === 200)?.body.position, "studio"],
        ])
        expect(yield* get("/api/questions")).toEqual([])
      }).pipe(Effect.provide(context))
    }),
  )
})

describe("a fork from the page", () => {
  it.scopedLive("goes on from a moment with an agent that was named at the start, and with no other", () =>
    Effect.gen(function* () {
      const context = yield* running({ fork: { writer, quick: brief } })
      yield* Effect.gen(function* () {
        const { server, get, post } = yield* page
        const { tasks } = yield* Kernel
        yield* tasks.run(
          { ...writer, decide: ({ step }) => (step < 2 ? writer.decide({ step }) : brief.decide()) },
          {
            goal: "Write",
            id: "t",
            maxSteps: 9,
          },
        )
        expect(yield* get<LogInfo>("/api/log")).toMatchObject({ allows: { fork: true }, agents: ["writer", "quick"] })
        const decided = yield* (yield* EventLog).readPage({ taskId: "t", types: ["DecisionMade"] }, 9)
        const at = (decided[2]?.position ?? 1) - 1
        const unknown = yield* post("/api/forks", { timeline: "main", task: "t", at, agent: "/etc/passwd" })
        expect([unknown.status, unknown.body.error]).toEqual([404, "AgentNotFound"])
        const nowhere = yield* post("/api/forks", { timeline: "main", task: "t", at: 99_999, agent: "quick" })
        expect(nowhere.status).toBe(404)
        const { status, body } = yield* post("/api/forks", { timeline: "main", task: "t", at, agent: "quick", seed: 3 })
        expect([status, body]).toEqual([200, { timeline: "fork-1", task: "t" }])
        yield* listen(server, at, (told) =>
          entriesIn(told).some(({ type, timeline }) => type === "TaskClosed" && timeline === "fork-1"),
        )
        const head = yield* get<TaskHead>("/api/task?timeline=fork-1&task=t")
        expect(head).toMatchObject({ agent: "brief@2.0.0", outcome: "failed", reason: "No time.", steps: 2 })
        const parent = yield* get<TaskHead>("/api/task?task=t")
        expect(parent.forks).toEqual([{ timeline: "fork-1", task: "t", position: at }])
        // The chunk of the fork begins with what it shares with its parent.
        const chunk = yield* get<CourseSlice>("/api/chunk?timeline=fork-1&task=t&number=0")
        expect(new Set(chunk.entries.map(({ timeline }) => timeline))).toEqual(new Set(["main", "fork-1"]))
        expect(chunk.entries).toHaveLength(head.events)
        const info = yield* get<LogInfo>("/api/log")
        expect(info.timelines[1]).toEqual({ name: "fork-1", parent: { timeline: "main", position: at } })
      }).pipe(Effect.provide(context))
    }),
  )

  it.scopedLive("reads what it is given first, if that is what the sensor can say; two at once are two", () =>
    Effect.gen(function* () {
      const context = yield* running({ fork: { moody, quick: brief } })
      yield* Effect.gen(function* () {
        const { server, get, post } = yield* page
        yield* (yield* Kernel).tasks.run(moody, { goal: "Look", id: "t" })
        expect((yield* get<TaskHead>("/api/task?task=t")).reason).toBe("It is calm.")
        const [decided] = yield* (yield* EventLog).readPage({ taskId: "t", types: ["DecisionMade"] }, 1)
        const order = { timeline: "main", task: "t", at: (decided?.position ?? 1) - 1, agent: "moody" }
        const { position: before } = yield* (yield* EventLog).head
        const wrong = yield* post("/api/forks", { ...order, readings: { "program/mood": 7 } })
        expect([wrong.status, wrong.body]).toEqual([
          400,
          { error: "OverrideInvalid", message: expect.stringMatching(/program\/mood.*expected .*string.*found 7/) },
        ])
        const unknown = yield* post("/api/forks", { ...order, readings: { "program/taste": "sweet" } })
        expect([unknown.status, unknown.body.message]).toEqual([400, expect.stringContaining("program/mood")])
        expect((yield* post("/api/forks", { ...order, acceptUnrewound: "yes" })).status).toBe(400)
        expect((yield* (yield* EventLog).head).position).toBe(before)
        const both = yield* Effect.all(
          [post("/api/forks", { ...order, readings: { "program/mood": "wild" } }), post("/api/forks", order)],
          { concurrency: "unbounded" },
        )
        expect(both.map(({ body }) => body.timeline).sort()).toEqual(["fork-1", "fork-2"])
        yield* listen(server, before, (told) => entriesIn(told).filter(({ type }) => type === "TaskClosed").length >= 2)
        const reasons = yield* Effect.forEach(both, ({ body }) =>
          Effect.map(get<TaskHead>(`/api/task?timeline=${body.timeline}&task=t`), ({ reason }) => reason),
        )
        expect(reasons).toEqual(["It is wild.", "It is calm."])
      }).pipe(Effect.provide(context))
    }),
  )

  it.scopedLive("is one of its own for each of two orders that come at the same time", () =>
    Effect.gen(function* () {
      const context = yield* running({ fork: { quick: brief } })
      yield* Effect.gen(function* () {
        const { get, post } = yield* page
        const { tasks } = yield* Kernel
        yield* tasks.run({ ...writer, decide: () => brief.decide() }, { goal: "Write", id: "t" })
        const [decided] = yield* (yield* EventLog).readPage({ taskId: "t", types: ["DecisionMade"] }, 1)
        const order = { timeline: "main", task: "t", at: (decided?.position ?? 1) - 1, agent: "quick" }
        const made = yield* Effect.all([post("/api/forks", order), post("/api/forks", order)], {
          concurrency: "unbounded",
        })
        expect(made.map(({ status }) => status)).toEqual([200, 200])
        const names = made.map(({ body }) => body.timeline).sort()
        expect(names).toEqual(["fork-1", "fork-2"])
        expect((yield* get<TaskHead>("/api/task?task=t")).forks.map(({ timeline }) => timeline).sort()).toEqual(names)
      }).pipe(Effect.provide(context))
    }),
  )
})

const RUBRIC = `name: strict
measures:
  - name: haste
    description: Takes its time
    punishments:
      - name: gave up
        when: it fails
        weight: 0.5
        rule: event.type == "TaskClosed" && event.payload.outcome == "failed"
`

describe("a scoring from the page", () => {
  it.scopedLive("is checked where it is wrong, and is a new score set", () =>
    Effect.gen(function* () {
      const context = yield* running({ write: true })
      yield* Effect.gen(function* () {
        const { get, post, refused } = yield* page
        yield* (yield* Kernel).tasks.run(brief, { goal: "Write", id: "t" })
        const check = (rubric: string) => post("/api/rubrics/check", { rubric, tasks: [] })
        expect((yield* check(RUBRIC)).body).toEqual([])
        expect((yield* check(RUBRIC.replace("weight: 0.5", "weight: heavy"))).body).toEqual([
          { line: 8, column: 9, message: expect.stringContaining("weight") },
        ])
        expect((yield* check(RUBRIC.replace("==", "==" + "="))).body[0]).toMatchObject({ line: 9 })
        expect((yield* check(RUBRIC.replace("when:", '"it\\"s: x":'))).body).toEqual([
          { line: 7, column: 9, message: expect.stringMatching(/^it"s: x: expected one of the fields name, when/) },
          { line: 6, column: 9, message: expect.stringMatching(/^when: expected/) },
        ])
        expect((yield* check(`colour: red\n${RUBRIC}`)).body[0]).toMatchObject({ line: 1, column: 1 })
        expect((yield* check("name: [")).body[0]).toMatchObject({ line: 1 })
        const tasks = [{ timeline: "main", task: "t" }]
        const before = yield* get<LogInfo>("/api/log")
        const order = { rubric: RUBRIC, timeline: "main", task: "t" }
        const previewed = yield* post("/api/rubrics/preview", order)
        const closed = (yield* get<TaskHead>("/api/task?task=t")).to
        expect([previewed.status, previewed.body]).toEqual([
          200,
          {
            earned: 0,
            lost: 0.5,
            net: -0.5,
            line: [{ at: closed, net: -0.5 }],
            verdicts: [
              {
                measure: "haste",
                name: "gave up",
                kind: "punishment",
                verdict: {
                  weight: 0.5,
                  when: "it fails",
                  times: 1,
                  amount: -0.5,
                  because: [closed],
                  rationale: null,
                  rule: expect.stringContaining("TaskClosed"),
                  unscored: null,
                },
              },
            ],
          },
        ])
        expect((yield* post("/api/rubrics/preview", { ...order, rubric: "name: x" })).body.error).toBe("RubricInvalid")
        const stranger = RUBRIC.replace("name: haste", "name: haste\n    plugin: nobody")
        const unknown = yield* post("/api/rubrics/preview", { ...order, rubric: stranger })
        expect([unknown.status, unknown.body.message]).toEqual([400, expect.stringContaining("nobody")])
        expect((yield* post("/api/rubrics/preview", { ...order, task: "x" })).status).toBe(404)
        expect((yield* post("/api/rubrics/preview", { ...order, timeline: "x" })).status).toBe(404)
        expect((yield* get<LogInfo>("/api/log")).head).toBe(before.head)
        const { status, body } = yield* post("/api/rescores", { rubric: RUBRIC, tasks, label: "second look" })
        expect([status, body]).toEqual([200, [{ timeline: "main", set: expect.any(String), label: "second look" }]])
        const { sets } = yield* get<TaskHead>("/api/task?task=t")
        expect(sets.at(-1)).toMatchObject({ set: body[0].set, label: "second look", rubric: "strict", net: -0.5 })
        const { text } = yield* get<RubricOfSet>(`/api/rubric?task=t&set=${body[0].set}`)
        expect((yield* post("/api/rubrics/preview", { ...order, rubric: text })).body).toEqual(previewed.body)
        expect(yield* refused("/api/rubric?task=t&set=x")).toMatchObject({ status: 404, error: "ScoreSetNotFound" })
        const wrong = yield* post("/api/rescores", { rubric: "name: x", tasks })
        expect([wrong.status, wrong.body.error]).toEqual([400, "RubricInvalid"])
        const nobody = yield* post("/api/rescores", { rubric: RUBRIC, tasks: [{ timeline: "main", task: "x" }] })
        expect([nobody.status, nobody.body.error]).toEqual([404, "TaskNotFound"])
      }).pipe(Effect.provide(context))
    }),
  )
})

describe("a log that is archived while Studio is open", () => {
  it.scopedLive("is shown as before, and without its segment says what is missing", () =>
    Effect.gen(function* () {
      const { filename, append, context } = yield* writing
      yield* append(numbers(1, 500))
      yield* Effect.gen(function* () {
        const { get, send } = yield* page
        const asked = ["/api/chunk?task=t&number=0", "/api/chunk?number=1", "/api/course?task=t"]
        const before = yield* Effect.forEach(asked, (path) => send(path))
        const archive = Context.get(context, Archive)
        yield* archive.archive({ until: 400, actor: "human:ada" })
        expect(yield* Effect.forEach(asked, (path) => Effect.map(send(path), ({ text }) => text))).toEqual(
          before.map(({ text }) => text),
        )
        fs.rmSync(`${filename}.segments`, { recursive: true })
        expect((yield* get<LogInfo>("/api/log")).head).toBe(502)
      }).pipe(Effect.provide(served(filename)))
      yield* Effect.gen(function* () {
        const { refused, get } = yield* page
        expect(yield* refused("/api/chunk?number=0")).toMatchObject({ status: 503, error: "SegmentUnavailable" })
        expect(yield* refused("/api/groups?by=agent")).toMatchObject({ status: 503, error: "SegmentUnavailable" })
        const { notes } = yield* get<LogInfo>("/api/log")
        expect(notes).toEqual([
          expect.stringContaining("Put the file back"),
          expect.stringContaining("index of all events could not be built"),
        ])
      }).pipe(Effect.provide(served(filename)))
    }),
  )
})

describe("a task's chunk", () => {
  it.scopedLive("has aside what events of no task changed in /shared between its own", () =>
    Effect.gen(function* () {
      const { filename, append, log } = yield* writing
      const shared = (value: number) => log.append({ stream: "room", actor: "plugin:room@1", events: [reading(value)] })
      yield* shared(1)
      yield* append([10])
      yield* shared(2)
      yield* shared(2)
      yield* append([11])
      yield* shared(3)
      yield* Effect.gen(function* () {
        const { get } = yield* page
        const chunk = yield* get<CourseSlice>("/api/chunk?task=t&number=0")
        expect(chunk.entries.map(({ position }) => position)).toEqual([1, 3, 6])
        expect(chunk.state).toEqual({ shared: { readings: {}, environment: {}, pending: {} }, tasks: {} })
        const path = "/shared/readings/room~1heard"
        expect(chunk.aside).toEqual([
          { position: 2, changes: [{ op: "add", path, value: 1 }] },
          { position: 4, changes: [{ op: "replace", path, value: 2 }] },
        ])
        const whole = yield* get<CourseSlice>("/api/chunk?number=0")
        expect(whole.entries.map(({ changes }) => changes.length)).toEqual([1, 1, 1, 1, 0, 1, 1])
      }).pipe(Effect.provide(served(filename)))
    }),
  )
})
