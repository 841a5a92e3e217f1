import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, expect, it } from "vitest"
import * as LogAtFirstAppend from "../../src/cli/command/opening/LogAtFirstAppend.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

it("a log that could not be created is created by a later append", async () => {
  const filename = path.join(place.directory, "later", "log.db")
  const append = Effect.flatMap(EventLog, (log) =>
    log.append({
      ...{ stream: "notes", taskId: null, actor: "test" },
      events: [{ type: "NoteAdded", payload: { about: "x", text: "y" } }],
    }),
  )
  const [first, second] = await Effect.gen(function* () {
    // A file in place of the directory: nothing can be created in it.
    fs.writeFileSync(path.dirname(filename), "")
    const first = yield* Effect.either(append)
    fs.rmSync(path.dirname(filename))
    fs.mkdirSync(path.dirname(filename))
    return [first, yield* Effect.either(append)] as const
  }).pipe(Effect.provide(LogAtFirstAppend.layer(filename)), Effect.scoped, Effect.runPromise)
  expect([first._tag, second._tag]).toEqual(["Left", "Right"])
})
