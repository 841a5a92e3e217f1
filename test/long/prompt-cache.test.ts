/** What an agent sends in a long conversation stays what it was, so that its provider reads it from its cache. */
import { it } from "@effect/vitest"
import { describe } from "vitest"
import { readsAllBefore } from "../agents/models/promptCache.ts"

describe("a conversation of 300 turns with Anthropic", () => {
  it.scopedLive("reads each request but its last step from the cache", () => readsAllBefore(300), 600_000)
})
