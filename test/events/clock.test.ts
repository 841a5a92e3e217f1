import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { afterEach, describe, expect, vi } from "vitest"
import { EventLog, layerMemory, layerSqlite } from "../../src/events/index.ts"
import { Lease } from "../../src/events/log/Lease.ts"
import { EARLIEST, LATEST } from "../../src/values/Time.ts"
import { temporaryDirectory } from "../temporary.ts"

afterEach(() => vi.restoreAllMocks())

const note = {
  stream: "s",
  actor: "human:test",
  subject: "anna",
  events: [{ type: "NoteAdded" as const, payload: { about: "s", text: "" } }],
}

describe.each([
  ["on file", (filename: string) => layerSqlite({ filename })],
  ["in memory", () => layerMemory()],
])("a log %s, on a machine whose clock is impossible", (_where, layerOf) => {
  it.scopedLive.each([-1, EARLIEST - 1, LATEST + 1, 2 ** 48, Number.NaN])("(%d) refuses appends and says why", (now) =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const context = yield* Layer.build(layerOf(path.join(directory, "log.db")))
      const log = Context.get(context, EventLog)
      yield* log.append(note)
      const clock = vi.spyOn(Date, "now").mockReturnValue(now)
      const error = yield* Effect.flip(log.append(note))
      expect(error).toMatchObject({ _tag: "InvalidEvent", index: null })
      expect(error.message).toContain("this machine's clock is wrong; set it: expected a time from 1970 to 9999")
      clock.mockReturnValue(LATEST)
      expect((yield* log.append(note)).events[0]?.recordedAt).toBe(LATEST)
      clock.mockReturnValue(0)
      expect((yield* log.append(note)).events[0]?.recordedAt).toBe(0)
    }),
  )

  it.scopedLive("gives its lease all the same", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const context = yield* Layer.build(layerOf(path.join(directory, "log.db")))
      vi.spyOn(Date, "now").mockReturnValue(-1)
      expect(yield* Context.get(context, Lease).acquire("kernel")).toBeDefined()
    }),
  )
})
