import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Either, TestClock } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import { fold } from "../../src/projections/fold/Projection.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { assistant, call, first, other, result, SESSION, session, text, user } from "./claudeSession.ts"
import { events, importing, lines, payloads, typesOf, withFiles, write } from "./given.ts"

const TASK = `claude-code-${SESSION}`
const FILE = `${SESSION}.jsonl`
const REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
const head = Effect.flatMap(EventLog, (log) => log.head)
const NONE = { inputTokens: 0, outputTokens: 0 }

describe("a session of Claude Code", () => {
  it.effect("is a task: prompts, turns, commands with outcomes, words, and its end", () =>
    withFiles({ [FILE]: lines(session()) }, (directory) =>
      Effect.gen(function* () {
        const report = yield* importing(directory)
        const all = yield* events
        expect(typesOf(all, TASK)).toEqual([
          ...["TaskOpened", "SourceRecordKept", "InputReceived", "ModelCalled", "ModelResponded"],
          ...["ActuatorCommanded", "ActuatorCommanded"],
          ...["CommandAllowed", "CommandDispatched", "CommandSucceeded"],
          ...["CommandAllowed", "CommandDispatched", "CommandFailed"],
          ...["ModelCalled", "ModelResponded", "ActuatorCommanded", "CommandAllowed", "CommandDispatched"],
          ...["CommandSucceeded", "EnvironmentReset", "EnvironmentChanged", "EnvironmentChanged"],
          ...["ModelCalled", "ModelResponded", "ActuatorCommanded", "CommandAllowed", "CommandDispatched"],
          ...["CommandSucceeded", "EnvironmentChanged"],
          ...["ModelCalled", "ModelResponded", "MessageSent", "TaskClosed"],
        ])
        expect(all.every(({ actor }) => actor === "import:claude-code")).toBe(true)
        expect(payloads(all, "TaskOpened")[0]).toMatchObject({
          goal: "Fix the sum in sum.ts",
          agent: "claude-code@2.1.0",
        })
        expect(payloads(all, "CommandAllowed").every(({ rule }) => rule === "import")).toBe(true)
        expect(payloads(all, "TaskClosed")[0]).toMatchObject({ outcome: "achieved" })
        expect(report.files[0]?.kept).toEqual({ summary: 1 })
      }),
    ),
  )

  it.effect("has one turn for the lines of one message: their blocks together, and the last usage", () =>
    withFiles({ [FILE]: lines(session()) }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        const [first, ...others] = payloads(yield* events, "ModelResponded")
        expect(first).toMatchObject({
          usage: { inputTokens: 100, outputTokens: 30, cachedTokens: 90 },
          response: { finish: "calls", parts: [{ type: "reasoning" }, { callId: "read-1" }, { callId: "bash-1" }] },
        })
        expect(others).toHaveLength(3)
      }),
    ),
  )

  it.effect(
    "is imported in the order of its file where what it follows is missing or in a circle, and times cannot be read",
    () => {
      const [one, two, ...others] = session() as ReadonlyArray<object>
      const records = [
        { ...one, parentUuid: "uuid-gone" },
        { ...two, parentUuid: "uuid-circle", timestamp: "yesterday" },
        user("And now?", { uuid: "uuid-circle", parentUuid: "uuid-1" }),
        user("And then?", { uuid: "uuid-own", parentUuid: "uuid-own", timestamp: 1e300 }),
      ]
      return withFiles({ [FILE]: lines([...records, ...others]) }, (directory) =>
        Effect.gen(function* () {
          const { files } = yield* importing(directory)
          const remarks = Object.entries(files[0]?.remarks ?? {}).map(([what, times]) => `${times} × ${what}`)
          expect(remarks).toEqual(
            expect.arrayContaining([
              expect.stringMatching(/^1 × messages that are followed and are not in the file/),
              expect.stringMatching(/^2 × messages that come after what follows them/),
              expect.stringMatching(/^2 × times that cannot be read/),
            ]),
          )
          expect(payloads(yield* events, "TaskClosed")).toHaveLength(1)
        }),
      )
    },
  )

  it.effect("is imported with absurd counts of tokens too", () => {
    const usage = { input_tokens: 1e308, output_tokens: -3, cache_read_input_tokens: Number.MAX_SAFE_INTEGER }
    const all = [first("Count"), assistant("msg-1", text("One."), {}, usage)]
    return withFiles({ [FILE]: lines(all) }, (directory) =>
      Effect.gen(function* () {
        expect((yield* importing(directory)).refused).toEqual([])
        const [{ usage: counted } = {}] = payloads(yield* events, "ModelResponded")
        expect(counted).toEqual({
          inputTokens: 2 ** 41,
          outputTokens: 0,
          cachedTokens: 2 ** 40,
          cacheWriteTokens: 0,
          unknown: ["outputTokens"],
        })
      }),
    )
  })

  it.effect("has one turn also where results stand between the lines of its message", () =>
    withFiles(
      {
        [FILE]: lines([
          first("Look at both"),
          assistant("msg-1", call("a", "Bash", { command: "ls a" })),
          result("a", "one"),
          assistant("msg-1", call("b", "Bash", { command: "ls b" })),
          result("b", "two"),
          assistant("msg-2", text("Done.")),
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const all = yield* events
          expect(payloads(all, "ModelResponded")).toHaveLength(2)
          expect(payloads(all, "CommandSucceeded").map((payload) => payload.result)).toEqual(["one", "two"])
          const told = payloads(all, "ModelCalled").map(
            ({ request }) => request as { messages: ReadonlyArray<{ role: string }> },
          )
          expect(told.map(({ messages }) => messages.map(({ role }) => role))).toEqual([["user"], ["tool", "tool"]])
        }),
    ),
  )

  it.effect("shows its files as a state: as they were found, and each change by the command that made it", () =>
    withFiles({ [FILE]: lines(session()) }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        const all = yield* events
        const files = { "/repo/sum.ts": "return a + b\n", "/repo/a~b/c.ts": "x" }
        const state = yield* Effect.flatMap(Projector.Projector, (projector) =>
          projector.current(EnvironmentState.projection),
        ).pipe(Effect.provide(Projector.layer))
        expect(EnvironmentState.taskScope(state, TASK).environment).toEqual({ "claude-code": { files } })
        const changes = all.filter(({ type }) => type === "EnvironmentChanged")
        expect(changes.map(({ payload }) => (payload.patch as ReadonlyArray<{ value: string }>)[0]?.value)).toEqual([
          "return a - b\n",
          "return a + b\n",
          "x",
        ])
        const cause = (id: string | null) => all.find((event) => event.id === id)
        expect(cause(changes[1]?.causationId ?? null)).toMatchObject({
          type: "CommandSucceeded",
          payload: { commandId: `${TASK}/edit-1` },
        })
      }),
    ),
  )

  it.effect("has a denial only where a person refused, and never an approval", () =>
    withFiles(
      {
        [FILE]: lines([
          first("Clean up"),
          assistant("m", call("rm", "Bash", { command: "rm -rf /" })),
          result("rm", `${REJECTED} To tell you how to proceed, the user said:\nNever do that.`, { is_error: true }),
          user([text("[Request interrupted by user for tool use]")]),
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const all = yield* events
          expect(typesOf(all, TASK)).not.toContain("CommandAllowed")
          expect(payloads(all, "CommandDenied")).toHaveLength(1)
          expect(all.filter(({ type }) => type.startsWith("Confirmation"))).toEqual([])
          expect(payloads(all, "TaskClosed")[0]).toMatchObject({
            outcome: "abandoned",
            reason: "it was interrupted by the user",
          })
        }),
    ),
  )

  it.effect(
    "does not know what came of a call that was refused without a word, or interrupted at work: both read the same",
    () =>
      withFiles(
        {
          [FILE]: lines([
            first("Clean up"),
            assistant("m", call("rm", "Bash", { command: "rm -rf /" })),
            result("rm", REJECTED, { is_error: true }),
            user([text("[Request interrupted by user for tool use]")]),
          ]),
        },
        (directory) =>
          Effect.gen(function* () {
            const { files } = yield* importing(directory)
            const all = yield* events
            expect(typesOf(all, TASK)).not.toContain("CommandDenied")
            expect(typesOf(all, TASK)).not.toContain("CommandDispatched")
            expect(payloads(all, "CommandOutcomeUnknown")[0]).toMatchObject({
              reason: expect.stringContaining("refused, or interrupted"),
            })
            expect(payloads(all, "InputReceived")).toHaveLength(1)
            expect(files[0]?.kept).toEqual({ interrupt: 1 })
          }),
      ),
  )

  it.effect("has as inputs what a person typed, and only that", () => {
    const notice = "<task-notification>\n<task-id>b1</task-id>\n<summary>Done</summary>\n</task-notification>"
    const records = [
      first([text("<ide_opened_file>The user opened a.ts</ide_opened_file>"), text("Fix it")]),
      assistant("m1", text("Fixed.")),
      user(notice),
      assistant("m2", text("Good.")),
      user("<system-reminder>\nBe brief.\n</system-reminder>\nAnd now the tests"),
      assistant("m3", text("Written.")),
      user("<command-name>/clear</command-name>"),
      other("attachment", { attachment: { type: "queued_command", prompt: notice, commandMode: "task-notification" } }),
      assistant("m4", text("Very good.")),
    ]
    return withFiles({ [FILE]: lines(records) }, (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        const all = yield* events
        expect(payloads(all, "InputReceived").map(({ content }) => content)).toEqual(["Fix it", "And now the tests"])
        expect(payloads(all, "TaskOpened")[0]).toMatchObject({ goal: "Fix it" })
        expect(files[0]?.kept).toEqual({ notification: 2 })
        const told = payloads(all, "ModelCalled").map(
          ({ request }) => request as { messages: ReadonlyArray<{ author?: string; content: ReadonlyArray<unknown> }> },
        )
        expect(told[0]?.messages[0]?.content).toHaveLength(2)
        expect(told.map(({ messages }) => messages.map(({ author }) => author))).toEqual([
          [undefined],
          ["notification"],
          [undefined],
          ["harness", "notification"],
        ])
      }),
    )
  })

  it.effect("invents no provider and no call of a model, and has the cost that its source says", () => {
    const records = [
      first("Go"),
      { ...assistant("n", text("")), message: null },
      assistant("m1", text("One"), {
        costUSD: 0.25,
        message: { id: "m1", model: "gpt-5", content: [text("One")], usage: { input_tokens: 1, output_tokens: 1 } },
      }),
      assistant("m2", text("Two"), {
        message: {
          id: "m2",
          model: "openrouter/glm-5",
          content: [text("Two")],
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      }),
    ]
    return withFiles({ [FILE]: lines(records) }, (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        const all = yield* events
        expect(payloads(all, "ModelCalled")).toMatchObject([
          { provider: "unknown", model: "gpt-5" },
          { provider: "openrouter", model: "glm-5" },
        ])
        expect(payloads(all, "ModelResponded").map(({ cost }) => cost)).toEqual([
          { usd: 0.25, prices: "source" },
          undefined,
        ])
        expect(files[0]?.kept).toEqual({ assistant: 1 })
      }),
    )
  })

  it.effect("has the cost that its program says, where that is of the calls in the file and of no others", () => {
    const state = (inputTokens: number) =>
      other("cost-state", {
        totalCostUSD: 0.5,
        startTime: 1,
        hasUnknownModelCost: false,
        modelUsage: { "claude-opus-4": { inputTokens, outputTokens: 5, cacheReadInputTokens: 0, costUSD: 0.5 } },
      })
    const imported = (inputTokens: number) =>
      withFiles({ [FILE]: lines([first("Go"), assistant("m1", text("Done.")), state(inputTokens)]) }, (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const all = yield* events
          const audit = Either.getOrThrow(TaskAudit.fold(TASK, all))
          return [payloads(all, "SourceStated").length, audit.model?.cost.usd, audit.model?.cost.prices]
        }),
      )
    return Effect.gen(function* () {
      expect(yield* imported(10)).toEqual([1, 0.5, ["source"]])
      const [stated, usd] = yield* imported(11)
      expect(stated).toBe(0)
      expect(usd).not.toBe(0.5)
    })
  })

  it.effect("that is not whole says so in its task, until it is", () =>
    withFiles({ [FILE]: lines([first("Go"), assistant("m1", text("Half"))]) }, (directory) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 0, 1, 12, 0, 30))
        const waits = Effect.map(events, (all) => [
          Either.getOrThrow(TaskAudit.fold(TASK, all)).waits,
          fold(Tasks.projection, all)[TASK]?.waits,
        ])
        yield* importing(directory)
        yield* importing(directory)
        expect(yield* waits).toEqual([
          expect.stringContaining("a last answer"),
          expect.stringContaining("a last answer"),
        ])
        expect(payloads(yield* events, "SourceStated")).toHaveLength(1)
        const whole = {
          stop_reason: "end_turn",
          id: "m1",
          model: "claude-opus-4",
          content: [text("Half"), text("More")],
        }
        write(directory, { [FILE]: lines([first("Go"), assistant("m1", text("Half"), { message: whole })]) })
        yield* importing(directory)
        expect(yield* waits).toEqual([undefined, undefined])
        expect(payloads(yield* events, "MessageSent")).toMatchObject([{ content: "Half\n\nMore" }])
      }),
    ),
  )

  it.effect("waits for the text that follows a thought, whose line has the answer's reason to stop", () => {
    const message = (...content: ReadonlyArray<object>) => ({
      message: { stop_reason: "end_turn", id: "m1", model: "claude-opus-4", content },
    })
    const thought = { type: "thinking", thinking: "It is done." }
    return withFiles({ [FILE]: lines([first("Go"), assistant("m1", text(""), message(thought))]) }, (directory) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 0, 1, 12, 0, 30))
        yield* importing(directory)
        expect(payloads(yield* events, "ModelResponded")).toEqual([])
        const whole = [first("Go"), assistant("m1", text(""), message(thought))]
        write(directory, { [FILE]: lines([...whole, assistant("m1", text(""), message(text("Done.")))]) })
        yield* importing(directory)
        expect(payloads(yield* events, "ModelResponded")).toHaveLength(1)
        expect(payloads(yield* events, "MessageSent")).toMatchObject([{ content: "Done." }])
      }),
    )
  })

  it.effect("keeps an error of the provider as a turn that failed", () =>
    withFiles(
      {
        [FILE]: lines([
          first("Go"),
          assistant("e", text("API Error: 529 overloaded_error"), {
            isApiErrorMessage: true,
            message: { model: "<synthetic>", content: [text("API Error: 529 overloaded_error")] },
          }),
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const all = yield* events
          expect(payloads(all, "ModelFailed")[0]).toMatchObject({ kind: "overloaded" })
          expect(payloads(all, "TaskClosed")[0]).toMatchObject({ outcome: "failed" })
        }),
    ),
  )

  it.effect("names the agents of sidechains, also where only their parents tell them apart", () =>
    withFiles(
      {
        [FILE]: lines([
          first("Research"),
          assistant("m", call("task", "Task", { prompt: "Look" })),
          user("Look", { isSidechain: true, parentUuid: null, uuid: "side-root" }),
          assistant("s", text("I looked"), { isSidechain: true, parentUuid: "side-root", uuid: "side-2" }),
          assistant("t", text("So did I"), { isSidechain: true, parentUuid: null, agentId: "e1c8" }),
          result("task", "found"),
          assistant("n", text("Found.")),
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const called = payloads(yield* events, "ModelCalled").map(({ agentId }) => agentId)
          expect(called.sort()).toEqual(["agent-e1c8", "sidechain-side-roo", undefined, undefined].sort())
        }),
    ),
  )

  it.effect("that was forked begins where it leaves its parent, in a dry run too", () => {
    const FORK = "0b5f3f3e-7a52-4a4e-9d57-000000000000"
    const parent = [
      first("Look", { promptId: "p1" }),
      assistant("m1", call("read", "Read", { file_path: "/a" })),
      result("read", "a", {
        result: { file: { filePath: "/a", content: "a", startLine: 1, numLines: 1, totalLines: 1 } },
      }),
      user("See?", { promptId: "p2" }),
      assistant("m2", text("I see.")),
    ]
    const own = [user("Write", { promptId: "p3" }), assistant("m3", text("Written."))]
    const fork = [
      ...parent.map((record) => ({ ...record, sessionId: FORK, promptId: "f1" })),
      user("Now edit", { sessionId: FORK, promptId: "f2", uuid: "fork-1" }),
      assistant("m4", call("edit", "Edit", { file_path: "/a", old_string: "a", new_string: "b" }), {
        sessionId: FORK,
        uuid: "fork-2",
      }),
      { ...result("edit", "edited", { result: {} }), sessionId: FORK, uuid: "fork-3" },
      assistant("m5", text("Edited."), { sessionId: FORK, uuid: "fork-4" }),
    ]
    return withFiles({ [`${FORK}.jsonl`]: lines(fork), [FILE]: lines([...parent, ...own]) }, (directory) =>
      Effect.gen(function* () {
        const promised = yield* importing(directory, { dryRun: true })
        const report = yield* importing(directory)
        expect(promised.added).toBe(report.added)
        const all = yield* events
        const forked = `claude-code-${FORK}`
        expect(
          all.filter(({ type }) => type === "TaskOpened").map(({ taskId, payload }) => [taskId, payload.goal]),
        ).toEqual([
          [TASK, "Look"],
          [forked, "Now edit"],
        ])
        expect(payloads(all, "TaskOpened")[1]?.environment).toMatchObject({ "claude-code": { parent: TASK } })
        expect(payloads(all, "ModelResponded")).toHaveLength(5)
        const state = yield* Effect.flatMap(Projector.Projector, (projector) =>
          projector.current(EnvironmentState.projection),
        ).pipe(Effect.provide(Projector.layer))
        expect(EnvironmentState.taskScope(state, forked).environment).toEqual({
          "claude-code": { files: { "/a": "b" } },
        })

        write(directory, { [`${FORK}.jsonl`]: lines([...fork, user("More", { sessionId: FORK, uuid: "fork-5" })]) })
        yield* importing(directory)
        expect(payloads(yield* events, "InputReceived").map(({ content }) => content)).toEqual([
          ...["Look", "See?", "Write", "Now edit", "More"],
        ])
      }),
    )
  })

  it.effect(
    "that was forked is known as a fork where words were left out, and where its parent was imported before",
    () => {
      const FORK = "0b5f3f3e-7a52-4a4e-9d57-000000000000"
      const parent = [first("Look", { promptId: "p1" }), assistant("m1", text("I see."))]
      const fork = [
        ...parent.map((record) => ({ ...record, sessionId: FORK, promptId: "f1" })),
        user("Now edit", { sessionId: FORK, promptId: "f2", uuid: "fork-1" }),
        assistant("m4", text("Edited."), { sessionId: FORK, uuid: "fork-2" }),
      ]
      return withFiles({ [FILE]: lines(parent) }, (directory) =>
        Effect.gen(function* () {
          yield* importing(directory, { redact: true })
          write(directory, { [`${FORK}.jsonl`]: lines(fork) })
          const { files } = yield* importing(directory, { redact: true })
          expect(files.map(({ leftOut }) => leftOut)).toContainEqual({
            "record of another session: it was copied from the one that this one was forked from": 2,
          })
          const all = yield* events
          expect(JSON.stringify(all)).not.toContain("Look")
          expect(typesOf(all, `claude-code-${FORK}`).filter((type) => type === "ModelResponded")).toHaveLength(1)
          expect((yield* importing(directory, { redact: true })).added).toBe(0)
        }),
      )
    },
  )

  it.effect("that is the fork of a fork begins where it leaves that one, whichever is imported first", () => {
    const ids = ["0b5f3f3e-7a52-4a4e-9d57-000000000001", "0b5f3f3e-7a52-4a4e-9d57-000000000002"] as const
    const own = (sessionId: string, name: string, prompt: string) => [
      user(`Ask ${name}`, { sessionId, promptId: prompt, uuid: `u-${name}` }),
      assistant(`m-${name}`, text(`Say ${name}`), { sessionId, uuid: `a-${name}` }),
    ]
    const copied = (records: ReadonlyArray<object>, sessionId: string) =>
      records.map((record) => ({ ...record, sessionId, promptId: sessionId }))
    const parent = [
      first("Look", { promptId: "p1" }),
      assistant("m1", text("I see.")),
      user("And?", { promptId: "p2" }),
      assistant("m2", text("So.")),
    ]
    const fork = [...copied(parent, ids[0]), ...own(ids[0], "fork", "f")]
    const forkOfFork = [...copied(fork, ids[1]), ...own(ids[1], "second", "g")]
    const files = {
      [`${ids[1]}.jsonl`]: lines(forkOfFork),
      [`${ids[0]}.jsonl`]: lines(fork),
      [FILE]: lines(parent),
    }
    const expected = ["I see.", "So.", "Say fork", "Say second"]
    return Effect.gen(function* () {
      yield* withFiles(files, (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const all = yield* events
          expect(payloads(all, "MessageSent").map(({ content }) => content)).toEqual(expected)
          expect(payloads(all, "TaskOpened").map(({ environment }) => environment)).toMatchObject([
            { "claude-code": { session: SESSION } },
            { "claude-code": { parent: TASK } },
            { "claude-code": { parent: `claude-code-${ids[0]}` } },
          ])
          expect((yield* importing(directory)).added).toBe(0)
        }),
      )
      // One after the other, each as its program writes it.
      yield* withFiles({ [FILE]: lines(parent) }, (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          for (const [name, content] of Object.entries(files).reverse()) {
            write(directory, { [name]: content })
            yield* importing(directory)
          }
          expect(payloads(yield* events, "MessageSent").map(({ content }) => content)).toEqual(expected)
        }),
      )
    })
  })

  it.effect("marks where the person went back, and keeps both branches", () =>
    withFiles(
      {
        [FILE]: lines([
          first("One", { uuid: "p1" }),
          assistant("a", text("1"), { uuid: "a1" }),
          user("Two", { uuid: "p2", parentUuid: "a1" }),
          assistant("b", text("2"), { uuid: "a2", parentUuid: "p2" }),
          user("Three", { uuid: "p3", parentUuid: "a1" }),
          assistant("c", text("3"), { uuid: "a3", parentUuid: "p3" }),
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const all = yield* events
          expect(payloads(all, "InputReceived").map(({ content }) => content)).toEqual(["One", "Two", "Three"])
          expect(payloads(all, "NoteAdded").map(({ text }) => text)).toEqual([
            expect.stringContaining("rewound to message a1"),
          ])
        }),
    ),
  )

  it.effect("leaves out what was copied from the session that it resumes", () =>
    withFiles(
      {
        [FILE]: lines([
          first("Old", { sessionId: "11111111-7a52-4a4e-9d57-0d7c6c1c2a01" }),
          user("New"),
          assistant("n", text("Yes")),
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          const { files } = yield* importing(directory)
          expect(payloads(yield* events, "InputReceived").map(({ content }) => content)).toEqual(["New"])
          expect(Object.values(files[0]?.leftOut ?? {})).toEqual([1])
        }),
    ),
  )

  it.effect("of a subagent in a file of its own is a task that names its parent, be it in the log or not", () =>
    withFiles(
      {
        [`${SESSION}/subagents/agent-7f.jsonl`]: lines([
          first("Look", { isSidechain: true, agentId: "7f" }),
          assistant("n", text("Yes"), { isSidechain: true, agentId: "7f" }),
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const [opened] = (yield* events).filter(({ type }) => type === "TaskOpened")
          expect(opened?.taskId).toBe(`${TASK}.agent-7f`)
          expect(opened?.payload.environment).toMatchObject({ "claude-code": { parent: TASK, subagent: "7f" } })
        }),
    ),
  )

  it.effect("of a subagent in a file of another name has its records of requests, and no other task has them", () =>
    withFiles(
      {
        "archived-7f.jsonl": lines([
          first("Look", { isSidechain: true, agentId: "7f" }),
          { type: "api-request", sessionId: SESSION, agentId: "7f", timestamp: "2026-01-01T12:00:02.000Z" },
          { type: "api-request-blob", sessionId: SESSION, agentId: "7f", message: {} },
          assistant("n", text("Yes"), { isSidechain: true, agentId: "7f" }),
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          const { files } = yield* importing(directory)
          const all = yield* events
          expect(all.filter(({ type }) => type === "TaskOpened").map(({ taskId }) => taskId)).toEqual([
            `${TASK}.agent-7f`,
          ])
          expect(files[0]?.kept).toEqual({ "api-request": 1, "api-request-blob": 1 })
          expect(all.at(-2)).toMatchObject({ type: "TaskClosed", taskId: `${TASK}.agent-7f` })
        }),
    ),
  )

  it.effect("keeps a result whose call is not there, and records of unknown types, as they are", () =>
    withFiles(
      {
        [FILE]: lines([
          first("Go"),
          result("nobody", "x"),
          other("from-the-future", { __proto__: null, n: 1 }),
          assistant("n", text("Yes")),
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          const { files } = yield* importing(directory)
          expect(files[0]?.kept).toEqual({ tool_result: 1, "from-the-future": 1 })
          expect(payloads(yield* events, "SourceRecordKept")[0]).toMatchObject({ record: { n: 1 } })
        }),
    ),
  )

  it.effect("that is still written is imported as far as it is certain, and completed the next time", () =>
    withFiles({}, (directory) =>
      Effect.gen(function* () {
        const whole = lines(session())
        yield* TestClock.setTime(Date.UTC(2026, 0, 1, 12, 1))
        for (let bytes = 397; bytes < whole.length; bytes += 397) {
          write(directory, { [FILE]: whole.slice(0, bytes) })
          yield* importing(directory)
        }
        write(directory, { [FILE]: whole })
        const report = yield* importing(directory)
        const all = yield* events
        expect(report.files[0]?.runs[0]).toMatchObject({ ended: false })
        expect(payloads(all, "CommandSucceeded")).toHaveLength(3)
        expect(payloads(all, "ModelResponded")).toHaveLength(3)
        expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
        yield* TestClock.adjust("2 hours")
        yield* importing(directory)
        const settled = yield* events
        expect(payloads(settled, "TaskClosed")).toHaveLength(1)
        expect(payloads(settled, "ModelResponded")).toHaveLength(4)
        expect(payloads(settled, "CommandSucceeded")).toHaveLength(3)
      }),
    ),
  )

  it.effect("that goes on after it was closed goes on in a task of its own, with its files as they were", () =>
    withFiles({ [FILE]: lines(session()) }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        const before = yield* head
        const more = [...session(), user("And the product"), assistant("msg-5", text("Later."))]
        write(directory, { [FILE]: lines(more) })
        const { files } = yield* importing(directory)
        const all = yield* events
        expect(files[0]?.runs[0]?.taskIds).toEqual([TASK, `${TASK}+2`])
        const opening = (taskId: string) =>
          payloads(
            all.filter((event) => event.taskId === taskId),
            "CaptureNoted",
          ).filter((payload) => "lacks" in payload)
        expect(opening(`${TASK}+2`)).toEqual(opening(TASK))
        expect(opening(TASK)).toHaveLength(1)
        expect(typesOf(all, `${TASK}+2`)).toEqual([
          ...[
            "TaskOpened",
            "EnvironmentReset",
            "InputReceived",
            "ModelCalled",
            "ModelResponded",
            "MessageSent",
            "TaskClosed",
          ],
        ])
        expect(payloads(all, "EnvironmentReset")[1]?.state).toEqual({
          files: { "/repo/sum.ts": "return a + b\n", "/repo/a~b/c.ts": "x" },
        })
        expect(
          all
            .slice(0, before.position)
            .map(({ hash }) => hash)
            .at(-1),
        ).toBe(before.hash)
        const after = yield* head
        expect((yield* importing(directory)).added).toBe(0)
        expect(yield* head).toEqual(after)
      }),
    ),
  )

  it.effect("counts the tokens of an answer once, however many lines it has", () =>
    withFiles({ [path.join("projects", FILE)]: lines([...session(), ...session()]) }, (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        const usage = payloads(yield* events, "ModelResponded").map((payload) => payload.usage)
        expect(usage.filter((one) => JSON.stringify(one) !== JSON.stringify(NONE))).toHaveLength(4)
        expect(Object.values(files[0]?.leftOut ?? {}).reduce((sum, times) => sum + times, 0)).toBe(11)
      }),
    ),
  )
})
