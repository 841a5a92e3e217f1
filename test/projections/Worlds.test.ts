import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import * as PluginRegistry from "../../src/projections/state/PluginRegistry.ts"
import * as Worlds from "../../src/projections/state/Worlds.ts"
import { drawText } from "../../src/views/drawText.ts"
import { given, type Unplaced } from "./given.ts"
import { changed, importedWith, reset } from "./worlds.ts"

const drawn = (events: ReadonlyArray<Unplaced>) =>
  Worlds.worldsOf(given(EnvironmentState.projection, events).shared, given(PluginRegistry.projection, events)).map(
    ({ plugin, view, document, outOfStep }) => ({
      plugin,
      outOfStep,
      lines: Either.match(view, { onLeft: ({ message }) => message, onRight: (view) => drawText(view, document) }),
    }),
  )

const HISTORY = [importedWith("At {/at}."), reset, importedWith("In the {/at}!"), changed]

describe("the worlds that can be drawn", () => {
  it("are drawn by the manifest of their moment, also after the plugin was updated", () => {
    expect(drawn(HISTORY.slice(0, 1))).toEqual([])
    expect(drawn(HISTORY.slice(0, 2))).toEqual([{ plugin: "room", outOfStep: false, lines: ["At hall."] }])
    expect(drawn(HISTORY)).toEqual([{ plugin: "room", outOfStep: false, lines: ["In the study!"] }])
  })

  it("are none where the manifest has no view, and say so where a view is none of this version", () => {
    expect(drawn([importedWith(null), reset])).toEqual([])
    expect(drawn([reset])).toEqual([])
    expect(drawn([importedWith("{"), reset])).toMatchObject([{ lines: expect.stringContaining("a single {") }])
  })
})
