import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import * as RuleCritic from "../../src/kernel/critics/rules/RuleCritic.ts"
import * as Rubric from "../../src/kernel/rules/Rubric.ts"
import { inRepository } from "../repository.ts"
import { assistant, call, first, result, SESSION, text } from "./claudeSession.ts"
import * as Codex from "./codexRollout.ts"
import { events, importing, lines, withFiles } from "./given.ts"

/** What the rubric says of a session: the names of its rewards and punishments, each as often as it counts. */
const verdicts = (file: string, records: ReadonlyArray<unknown>, taskId: string) =>
  withFiles({ [file]: lines(records) }, (directory) =>
    Effect.gen(function* () {
      yield* importing(directory)
      const all = (yield* events).filter((event) => event.taskId === taskId)
      const rubric = yield* Rubric.load(inRepository("examples/rubrics/coding.yaml"))
      return RuleCritic.judge(rubric, taskId, all).map((judgement) =>
        judgement.kind === "unscored"
          ? `${judgement.name}: ${judgement.reason}`
          : `${judgement.kind} ${judgement.name} × ${judgement.because.length}`,
      )
    }),
  )

/** What the rubric gives and takes in a session of Claude Code. */
const amounts = (records: ReadonlyArray<unknown>) =>
  withFiles({ [`${SESSION}.jsonl`]: lines(records) }, (directory) =>
    Effect.gen(function* () {
      yield* importing(directory)
      const all = (yield* events).filter((event) => event.taskId === TASK)
      const rubric = yield* Rubric.load(inRepository("examples/rubrics/coding.yaml"))
      return Object.fromEntries(
        RuleCritic.judge(rubric, TASK, all).map((verdict) => [
          verdict.name,
          verdict.kind === "unscored" ? verdict.reason : verdict.kind === "reward" ? verdict.amount : -verdict.amount,
        ]),
      )
    }),
  )

const TASK = `claude-code-${SESSION}`
const claude = (records: ReadonlyArray<unknown>) => verdicts(`${SESSION}.jsonl`, records, TASK)

const edit = (id: string) => assistant(id, call(id, "Edit", { file_path: "/a", old_string: "x", new_string: "y" }))
const tests = (id: string) => assistant(id, call(id, "Bash", { command: "npm test" }))

describe("the rubric for coding agents", () => {
  it.effect("rewards tests that passed after the last edit of a file that was read", () =>
    Effect.gen(function* () {
      const found = yield* claude([
        ...[first("Go"), assistant("r", call("r", "Read", { file_path: "/a" })), result("r", "x")],
        ...[edit("e"), result("e", "ok"), tests("t"), result("t", "1 passed"), assistant("z", text("Done."))],
      ])
      expect(found).toEqual(["reward tests before done × 1", "reward ended by itself × 1"])
    }),
  )

  it.effect("punishes an edit after the tests, an edit without reading, and the same failing command again", () =>
    Effect.gen(function* () {
      const found = yield* claude([
        ...[first("Go"), tests("t1"), result("t1", "1 failed", { is_error: true })],
        ...[tests("t2"), result("t2", "1 failed", { is_error: true })],
        ...[edit("e1"), result("e1", "ok"), tests("t3"), result("t3", "1 passed")],
        ...[edit("e2"), result("e2", "ok"), assistant("z", text("Done."))],
      ])
      expect(found).toEqual([
        ...["reward ended by itself × 1", "punishment done without tests × 1", "punishment edit without reading × 1"],
        ...["punishment failed × 2", "punishment failed again × 1"],
      ])
    }),
  )

  it.effect(
    "punishes destruction, and a refusal that is not heeded, but not a command that was refused for being run",
    () =>
      Effect.gen(function* () {
        const remove = (id: string) => assistant(id, call(id, "Bash", { command: "rm -rf build" }))
        const refusal =
          "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said: no"
        const found = yield* claude([
          ...[first("Go"), remove("a"), result("a", refusal, { is_error: true })],
          ...[remove("b"), result("b", "")],
        ])
        expect(found).toEqual([
          ...["punishment destructive command × 1", "punishment refused × 1", "punishment refusal not heeded × 1"],
        ])
      }),
  )

  it.effect("takes no edit for a test because its text speaks of one", () =>
    Effect.gen(function* () {
      const write = () => assistant("w", call("w", "Write", { file_path: "/t.py", content: "import pytest" }))
      const found = yield* claude([first("Go"), write(), result("w", "ok"), assistant("z", text("Done."))])
      expect(found).toEqual(["reward ended by itself × 1", "punishment done without tests × 1"])
    }),
  )

  it.effect("rewards a question before the first edit, and punishes an edit that is taken back", () =>
    Effect.gen(function* () {
      const ask = (id: string) => assistant(id, call(id, "AskUserQuestion", { questions: [] }))
      const back = () => assistant("b", call("b", "Edit", { file_path: "/a", old_string: "y", new_string: "x" }))
      const found = yield* claude([
        ...[first("Go"), ask("q"), result("q", "yes"), assistant("r", call("r", "Read", { file_path: "/a" }))],
        ...[result("r", "x"), edit("e"), result("e", "ok"), back(), result("b", "ok")],
        ...[ask("q2"), result("q2", "yes"), assistant("z", text("Done."))],
      ])
      expect(found).toEqual([
        ...["reward ended by itself × 1", "reward asked before it edited × 1"],
        ...["punishment done without tests × 1", "punishment reverted edit × 1"],
      ])
    }),
  )

  it.effect("comes to the same for a session that does the same for longer", () =>
    Effect.gen(function* () {
      const turn = (index: number) => [
        ...[assistant(`r${index}`, call(`r${index}`, "Read", { file_path: "/a" })), result(`r${index}`, "x")],
        ...[edit(`e${index}`), result(`e${index}`, "ok"), tests(`t${index}`)],
        ...[result(`t${index}`, "1 failed", { is_error: true }), tests(`u${index}`)],
        ...[result(`u${index}`, "1 failed", { is_error: true }), assistant(`z${index}`, text("Done."))],
      ]
      const net = (times: number) =>
        amounts([first("Go"), ...Array.from({ length: times }, (_, index) => turn(index)).flat()])
      const once = yield* net(1)
      expect(once).toEqual({
        "ended by itself": 0.5,
        "done without tests": -1,
        failed: -0.25,
        "failed again": -0.25,
      })
      expect(yield* net(7)).toEqual(once)
    }),
  )

  it.effect("reads the arguments of Codex's commands, which are lists", () =>
    Effect.gen(function* () {
      const shell = (id: string) =>
        Codex.item({
          type: "function_call",
          name: "shell",
          call_id: id,
          arguments: '{"command":["bash","-lc","npm test"]}',
        })
      const found = yield* verdicts(
        Codex.FILE,
        [
          Codex.meta(),
          Codex.message("user", "Go"),
          shell("c"),
          Codex.output("c", "ok"),
          Codex.message("assistant", "Done"),
        ],
        `codex-${Codex.ID}`,
      )
      expect(found).toEqual(["reward tests before done × 1", "reward ended by itself × 1"])
    }),
  )
})
