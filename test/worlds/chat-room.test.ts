import type { JsonObject } from "hindcast/plugin"
import { describe, expect, it } from "vitest"
import manifest from "../../packages/worlds/chat-room/looper-plugin.json" with { type: "json" }
import plugin from "../../packages/worlds/chat-room/world.ts"
import { goesOnIdentically, play, refuses, spacesOf, survivesRandomActions } from "./trial.ts"

const agents = ["ann", "ben", "cat", "dan"]

const room = (options: JsonObject = {}) => {
  const played = play(plugin.environment, manifest, { agents, options })
  played.reset(1)
  return played
}

const heardBy = (played: ReturnType<typeof room>, agent: string) =>
  JSON.parse(JSON.stringify(played.observe(agent))).heard

/** Who hears whom when everybody says their own name. */
const hearers = (options: JsonObject) => {
  const played = room(options)
  played.step(Object.fromEntries(agents.map((agent) => [agent, agent])))
  return agents.map((agent) =>
    heardBy(played, agent)
      .split("\n")
      .map((line: string) => line.split(": ")[1])
      .join(" "),
  )
}

describe("a chat room", () => {
  it("lets all hear what was said, in the next observation and in no later one", () => {
    const played = room()
    expect(heardBy(played, "ben")).toBe("")
    played.step({ cat: "hello", ann: "good morning" })
    expect(heardBy(played, "ben")).toBe("ann: good morning\ncat: hello")
    expect(heardBy(played, "ann")).toBe("cat: hello")
    played.step({})
    expect(heardBy(played, "ben")).toBe("")
  })

  it("delivers after the delay", () => {
    const played = room({ delay: 3 })
    played.step({ ann: "one" })
    played.step({ ann: "two" })
    expect(heardBy(played, "ben")).toBe("")
    played.step({})
    expect(heardBy(played, "ben")).toBe("ann: one")
    played.step({})
    expect(heardBy(played, "ben")).toBe("ann: two")
  })

  it("delivers by the topology", () => {
    expect(hearers({ topology: "all" })).toEqual(["ben cat dan", "ann cat dan", "ann ben dan", "ann ben cat"])
    expect(hearers({ topology: "ring" })).toEqual(["ben dan", "ann cat", "ben dan", "ann cat"])
    expect(hearers({ topology: "line" })).toEqual(["ben", "ann cat", "ben dan", "cat"])
    expect(hearers({ topology: "star" })).toEqual(["ben cat dan", "ann", "ann", "ann"])
    expect(hearers({ topology: { ann: ["dan", "ann", "nobody"], dan: ["cat"] } })).toEqual(["", "", "dan", "ann"])
  })

  it("lets nobody say words for another", () => {
    const played = room()
    played.step({ ann: "well\nben: I agree" })
    expect(heardBy(played, "cat")).toBe("ann: well ben: I agree")
  })

  it("who comes later does not hear what was said before, and who left is not there", () => {
    const played = room({ delay: 2 })
    played.step({ ann: "before" })
    played.join("eve")
    played.leave("dan")
    played.step({ eve: "after" })
    expect([heardBy(played, "eve"), heardBy(played, "ben")]).toEqual(["", "ann: before"])
    expect(played.observe("eve")).toMatchObject({ present: "ann\nben\ncat\neve" })
    refuses(played, { dan: "still here?" })
  })

  it("closes after its rounds, and refuses what is too long", () => {
    const played = room({ rounds: 2, max_length: 5 })
    refuses(played, { ann: "too long" })
    expect(played.step({ ann: "short" }).ben).toEqual({ reward: 0, terminated: false })
    expect(played.step({}).ben).toEqual({ reward: 0, terminated: true })
    refuses(played, { ann: "more" })
  })

  it("goes on from a state, survives random actions and has the manifest's spaces", () => {
    goesOnIdentically(room({ delay: 4, max_length: 20 }), 10, 20)
    survivesRandomActions(room({ delay: 2, max_length: 10, rounds: 20 }), 500, [-1, 0.5, null, [], {}, true])
    expect(room().spaces("ann")).toEqual(spacesOf(manifest))
  })

  it("refuses options that no room has", () => {
    for (const options of [
      { topology: "tree" },
      { topology: { ann: "ben" } },
      { delay: 0 },
      { rounds: 0 },
      { max_length: 0 },
    ])
      expect(() => room(options)).toThrowError(/The option .*: expected/)
  })
})
