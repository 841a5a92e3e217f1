import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { AnswerPart } from "../../src/agents/models/Message.ts"
import * as Models from "../../src/agents/models/Models.ts"
import { asking, KEY, providers } from "../agents/models/servers.ts"
import { fixtures, read, turnOf } from "./fixtures.ts"

/** What a part says, without ids that are made up and what only the provider wants back. */
const essential = (part: AnswerPart) => {
  if (part.type === "text" || part.type === "reasoning") return [part.type, part.text]
  if (part.type === "call") return [part.tool, part.args, part.text]
  return part.type === "file" ? [part.mediaType, part.data] : [part.type]
}

describe("a recorded answer", () => {
  it.each(fixtures)("says what its provider wrote: $name", (fixture) => {
    const { parts, finish, usage, unread, cost } = turnOf(read(fixture))
    expect(parts).toMatchObject(fixture.parts)
    expect(parts).toHaveLength(fixture.parts.length)
    expect(finish).toBe(fixture.finish)
    expect(unread.map(({ kind }) => kind)).toEqual(fixture.unread ?? [])
    if (fixture.usage !== undefined) expect(usage).toMatchObject(fixture.usage)
    if (fixture.usage?.unknown === undefined && fixture.usage?.inputTokens !== undefined) {
      expect(usage.unknown).toBeUndefined()
    }
    expect(cost).toBe(fixture.cost)
  })

  it("is the same for a live agent, wherever one can be asked for it", async () => {
    const lived = fixtures.filter(({ live }) => live !== undefined)
    expect(lived.length).toBeGreaterThan(20)
    for (const fixture of lived) {
      const { live = "openai", answer, contentType } = fixture
      const fetch = async () =>
        new Response(new Uint8Array(Buffer.from(answer)), { headers: { "content-type": contentType } })
      const { path, model } = providers[live]
      const options = { baseURL: `http://127.0.0.1:9${path}`, apiKey: KEY, fetch }
      const turn = await Effect.runPromise(
        Models.load(`${live}/${model}`, options).pipe(
          Effect.flatMap((loaded) => loaded.turn(asking("tea?"), () => {})),
        ),
      )
      const recorded = turnOf(read(fixture))
      expect({ of: fixture.name, said: turn.parts.map(essential), finish: turn.finish }).toEqual({
        of: fixture.name,
        said: recorded.parts.map(essential),
        finish: recorded.finish,
      })
      if (fixture.usage !== undefined) expect({ of: fixture.name, ...turn.usage }).toMatchObject(fixture.usage)
      expect({ of: fixture.name, cost: turn.cost }).toEqual({ of: fixture.name, cost: fixture.cost })
    }
  })
})
