import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { conversation, readsAllBefore } from "./promptCache.ts"
import { modelAt, type ProviderName, server } from "./servers.ts"

describe("a conversation with Anthropic", () => {
  it.scopedLive("saves money in the audit, as far as the prices are known", () =>
    Effect.gen(function* () {
      const { audit, asked } = yield* conversation(3)
      const sum = (of: "read" | "written") => asked.reduce((all, counted) => all + counted[of], 0)
      // $3 a million tokens; $0.30 from the cache, $3.75 into it.
      const saved = (sum("read") * 2.7 - sum("written") * 0.75) / 1_000_000
      expect(audit.model?.cost.saved?.usd).toBeCloseTo(saved, 9)
      expect(audit.model?.cost.saved?.unknown).toBe(0)
      const off = yield* conversation(1, { cache: "off" })
      expect(off.audit.model?.cost).not.toHaveProperty("saved")
    }),
  )

  it.scopedLive("reads each request but its last step from the cache, by at most four marks", () => readsAllBefore(60))

  it.scopedLive("is cached for an hour, or not at all, as its options say", () =>
    Effect.gen(function* () {
      const hour = yield* conversation(2, { cache: "1h" })
      expect(hour.asked.flatMap(({ marks }) => marks)).not.toEqual([])
      expect(hour.asked.flatMap(({ marks }) => marks.map(({ ttl }) => ttl)).every((ttl) => ttl === "1h")).toBe(true)
      const off = yield* conversation(2, { cache: "off" })
      expect(off.asked.flatMap(({ marks }) => marks)).toEqual([])
      expect(off.audit.model).toMatchObject({
        cachedTokens: 0,
        inputTokens: off.asked.reduce((sum, { all }) => sum + all, 0),
      })
    }),
  )

  it.scopedLive("sends and records the choice of tools and the provider's options", () =>
    Effect.gen(function* () {
      const options = {
        toolChoice: { tool: "program/step" },
        providerOptions: { anthropic: { effort: "low" } },
      } as const
      const { bodies, called, seen } = yield* conversation(1, options)
      expect(bodies[0]).toMatchObject({
        tool_choice: { type: "tool", name: "program__step" },
        output_config: { effort: "low" },
      })
      const recorded = { toolChoice: { tool: "program__step" }, providerOptions: options.providerOptions }
      expect(called[0]?.payload).toMatchObject({ request: { options: recorded } })
      expect(seen).toMatchObject({ isConfirmed: true, request: { settings: { value: recorded } } })
    }),
  )
})

describe.each(["openai", "google", "openai-compatible"] satisfies ReadonlyArray<ProviderName>)(
  "a request to %s",
  (name) => {
    it.scopedLive("has no marks: the provider caches by itself", () =>
      Effect.gen(function* () {
        const bodies: Array<string> = []
        const url = yield* server((request, response) => {
          request.on("data", (chunk: Buffer) => bodies.push(chunk.toString()))
          request.on("end", () => response.writeHead(400).end("{}"))
        })
        const model = yield* modelAt(url, name)
        const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "Go" }] }]
        yield* Effect.flip(
          model.turn({ system: "Be terse.", messages, tools: [] }, () => {}, undefined, { cache: "1h" }),
        )
        expect(bodies.join("")).toContain("Be terse.")
        expect(bodies.join("")).not.toMatch(/cache_?control|ephemeral/i)
      }),
    )
  },
)
