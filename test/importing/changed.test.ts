import { it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { describe, expect } from "vitest"
import * as Mapping from "../../src/importing/mapping/Mapping.ts"
import { assistant, SESSION, session, text, user } from "./claudeSession.ts"
import { events, importing, lines, payloads, withFiles, write } from "./given.ts"

const FILE = `${SESSION}.jsonl`

const CHANGED =
  "a file that does not begin with what was imported of it: it was rotated, cut off or changed. The log keeps what it has"

/** Imports again, and returns whether the file is said to have changed. */
const isSaidChanged = (directory: string, options: Parameters<typeof importing>[1] = {}) =>
  Effect.map(importing(directory, options), ({ files, refused }) => {
    expect(refused).toEqual([])
    return files.some(({ remarks }) => remarks[CHANGED] !== undefined)
  })

const mapping = Either.getOrThrow(
  Mapping.decode("m.yaml", { name: "mine", run: "/run", records: [{ is: "said", content: "/text" }] }),
)

describe("a file that was imported before", () => {
  it.effect(
    "and has grown is no changed one; one that was changed in its past is named once, and adds what is new",
    () =>
      withFiles({ [FILE]: lines(session()) }, (directory) =>
        Effect.gen(function* () {
          expect(yield* isSaidChanged(directory)).toBe(false)
          const grown = [...session(), user("More"), assistant("more", text("So."))]
          write(directory, { [FILE]: lines(grown) })
          expect(yield* isSaidChanged(directory)).toBe(false)
          const before = (yield* events).length

          const other = [
            ...lines(grown).replace("sum.ts", "SUM.ts").split("\n").filter(Boolean),
            JSON.stringify(user("Last")),
          ]
          write(directory, { [FILE]: `${other.join("\n")}\n` })
          expect(yield* isSaidChanged(directory, { dryRun: true })).toBe(true)
          expect(yield* isSaidChanged(directory)).toBe(true)
          const all = yield* events
          expect(all.length).toBeGreaterThan(before)
          expect(payloads(all, "InputReceived").map(({ content }) => content)).toEqual([
            ...["Fix the sum in sum.ts", "More", "Last"],
          ])
          expect(yield* isSaidChanged(directory)).toBe(false)
          expect((yield* importing(directory)).added).toBe(0)
        }),
      ),
  )

  it.effect("and was cut off is named, also where its words were left out", () =>
    withFiles({ [FILE]: lines(session()) }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory, { redact: true })
        write(directory, { [FILE]: lines(session().slice(0, -3)) })
        expect(yield* isSaidChanged(directory, { redact: true })).toBe(true)
      }),
    ),
  )

  it.effect("without a line end at its last line may go on with one", () =>
    withFiles({ "a.jsonl": lines([{ run: 1, text: "A" }]).trimEnd() }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory, { format: mapping })
        write(directory, {
          "a.jsonl": lines([
            { run: 1, text: "A" },
            { run: 1, text: "B" },
          ]),
        })
        expect(yield* isSaidChanged(directory, { format: mapping })).toBe(false)
      }),
    ),
  )

  it.effect("is another one where it has other runs, whatever its name", () =>
    withFiles(
      { "a/traces.jsonl": lines([{ run: 1, text: "A" }]), "b/traces.jsonl": lines([{ run: 2, text: "B" }]) },
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory, { format: mapping })
          write(directory, { "a/traces.jsonl": lines([{ run: 3, text: "C" }]) })
          write(directory, {
            "b/traces.jsonl": lines([
              { run: 2, text: "B" },
              { run: 2, text: "D" },
            ]),
          })
          expect(yield* isSaidChanged(directory, { format: mapping })).toBe(false)
          write(directory, {
            "b/traces.jsonl": lines([
              { run: 2, text: "x" },
              { run: 2, text: "D" },
            ]),
          })
          expect(yield* isSaidChanged(directory, { format: mapping })).toBe(true)
        }),
    ),
  )
})
