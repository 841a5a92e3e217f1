import { readFileSync } from "node:fs"
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { commandOf } from "../../../plugins/text-room/command.ts"
import { begin, document, step } from "../../../plugins/text-room/world.ts"
import * as Manifest from "../../../src/plugins/manifest/Manifest.ts"
import { drawText } from "../../../src/views/drawText.ts"
import { inRepository } from "../../repository.ts"
import { theLostKey } from "./playing.ts"

const manifest = JSON.parse(readFileSync(inRepository("plugins", "text-room", "looper-plugin.json"), "utf8"))
const { view } = Either.getOrThrow(Manifest.decode(manifest)).manifest.peas.environment ?? {}

describe("the view of the text room", () => {
  it("shows where the agent is, what it carries, and where all things are", () => {
    const { world } = step(theLostKey, begin(theLostKey), commandOf("go", { direction: "north" }))
    expect(view === undefined ? [] : drawText(view, document(theLostKey, world))).toEqual([
      "Text room",
      "The Lost Key: in the hallway after 1 steps, 0 refused",
      "Carried: candle",
      "Found: –",
      "",
      "Things",
      "thing      where",
      "desk       room:study",
      "bookshelf  room:study",
      "notebook   room:study",
      "clock      room:hallway",
      "tin        room:pantry",
      "iron_key   room:pantry",
      "document   thing:desk",
      "brass_key  hidden:clock",
      "button     thing:tin",
      "candle     inventory",
      "",
      "Containers",
      "container  lid     lock",
      "desk       closed  locked",
      "tin        closed",
    ])
  })
})
