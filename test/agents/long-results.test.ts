import { it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import * as LongResults from "../../src/agents/LongResults.ts"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import type { TurnRequest } from "../../src/agents/models/Model.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import type { Json } from "../../src/values/Json.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { call, eventsOf, model, text } from "./given.ts"

const LONG = `${"Zürich 🏔 ".repeat(40)}END`

const page = Tool.make({
  description: "Reads a page",
  risk: "none",
  maxResultBytes: 100,
  run: (args) => (args.short === true ? "short" : LONG),
})

interface Piece {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly bytes: number
  readonly rest?: string
}

/** What the model of a request got as the result of its last call. */
const lastResult = ({ messages }: TurnRequest): { readonly isError: boolean; readonly content: Json } => {
  const last = messages.at(-1)
  if (last?.role !== "tool" || last.content[0] === undefined) throw new Error("the request ends with no result")
  return last.content[0]
}

describe("a result that is longer than its tool's limit", () => {
  it.scopedLive(
    "is whole in the log, and the model reads it piece by piece; a replay and a fork cut it the same way",
    () =>
      Effect.gen(function* () {
        const read: Array<Piece> = []
        /** Reads on until the end. */
        const reader = (first = [[call("a", "program__page")]]) =>
          model([
            ...first,
            ...Array.from({ length: 20 }, () => (request: TurnRequest) => {
              const piece = lastResult(request).content as unknown as Piece
              read.push(piece)
              const parts =
                piece.rest === undefined ? [text("Read.")] : [call("r", "read_result", { call: "a", from: piece.to })]
              return Effect.succeed({
                parts,
                finish: piece.rest === undefined ? ("stop" as const) : ("calls" as const),
                usage: { inputTokens: 1, outputTokens: 1 },
              })
            }),
          ])
        const { run } = yield* (yield* testKernel({ tools: { page } })).start
        const first = reader()
        const { taskId, outcome } = yield* run(
          Effect.flatMap(Kernel, ({ tasks }) => tasks.run(fromModel({ model: first.model }), { goal: "Read" })),
        )
        expect(outcome).toBe("achieved")
        expect(first.requests[0]?.tools.map(({ name }) => name)).toEqual(["program__page", "read_result"])
        expect(read.map(({ text }) => text).join("")).toBe(LONG)
        expect(Math.max(...read.map(({ text }) => Buffer.byteLength(text)))).toBeLessThanOrEqual(100)
        expect(read.at(-1)).toMatchObject({ to: Buffer.byteLength(LONG), bytes: Buffer.byteLength(LONG) })
        const events = yield* run(eventsOf(taskId))
        expect(events.find(({ type }) => type === "CommandSucceeded")?.payload.result).toBe(LONG)
        const replayed = yield* run(
          Effect.flatMap(Kernel, ({ replay }) => replay(taskId, fromModel({ model: model([]).model }))),
        )
        expect(replayed).toMatchObject({ verdict: "identical", complete: true })
        const again = [...read]
        read.length = 0
        const asked = events.filter(({ type }) => type === "ModelResponded")[2]
        const forked = reader([])
        yield* run(
          Effect.flatMap(Kernel, ({ fork }) =>
            fork(fromModel({ model: { ...forked.model, turn: forked.model.turn } }), {
              task: taskId,
              at: (asked?.position ?? 0) - 1,
            }).pipe(Effect.exit),
          ),
        )
        // The fork's model is asked for the third turn, with the second piece.
        expect(again.length).toBeGreaterThan(3)
        expect(read).toEqual(again.slice(1))
      }),
  )

  it.scopedLive("is refused in words where the model asks for a piece that there is not", () =>
    Effect.gen(function* () {
      const asked = [
        ...[{}, { call: "b", from: 0 }, { call: "a", from: -1 }, { call: "a", from: 1e9 }, { call: "a", from: "0" }],
        ...["a", null, []],
      ]
      const { model: asking, requests } = model([
        [call("a", "program__page")],
        ...asked.map((args, index) => [call(`r${index}`, "read_result", args as Json)]),
        [text("Sorry.")],
      ])
      const { run } = yield* (yield* testKernel({ tools: { page } })).start
      yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(fromModel({ model: asking }), { goal: "Read" })))
      const answers = requests.slice(2).map(lastResult)
      expect(answers.map(({ isError }) => isError)).toEqual(asked.map(() => true))
      expect(String(answers[1]?.content)).toContain("a")
      expect(String(answers[3]?.content)).toContain(`0 to ${Buffer.byteLength(LONG) - 1}`)
    }),
  )

  it("is cut between characters, and a file in it stays whole", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 65 }), fc.integer({ min: 64, max: 80 }), (given, limit) => {
        const long = given.toWellFormed()
        const results = LongResults.none()
        let piece = results.shown("a", long, limit) as unknown as Piece | string
        if (typeof piece === "string") return piece === long
        let whole = piece.text
        while (piece.rest !== undefined) {
          piece = results.read({ call: "a", from: piece.to }).content as unknown as Piece
          whole += piece.text
        }
        return whole === long
      }),
    )
    const file = { type: "file", mediaType: "image/png", data: "AAAA".repeat(100) }
    const shown = LongResults.none().shown("a", { words: "w".repeat(100), file }, 64)
    expect(shown).toMatchObject({ from: 0, to: 64, files: [file] })
    expect(LongResults.none().shown("a", { file }, 64)).toEqual({ file })
  })

  it.scopedLive("changes nothing for tools without a limit: there is nothing to read on", () =>
    Effect.gen(function* () {
      const plain = Tool.make({ description: "d", risk: "none", run: () => LONG })
      const { model: asking, requests } = model([[call("a", "program__plain")], [text("Read.")]])
      const { run } = yield* (yield* testKernel({ tools: { plain } })).start
      yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(fromModel({ model: asking }), { goal: "Read" })))
      expect(requests[0]?.tools.map(({ name }) => name)).toEqual(["program__plain"])
      expect(requests[1] && lastResult(requests[1]).content).toBe(LONG)
    }),
  )
})
