import { afterAll, describe, it } from "vitest"
import { fetchedModules } from "../fetched.ts"
import { LIGHT } from "../record/sdks/agents.mjs"
import { expectAgreement, recordings } from "../record/sdks/agreement.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

describe("agents by the packages of OpenAI, Anthropic and the AI SDK", () => {
  it("are the same in the log by fetch, by preload and by the proxy, and say the same in a replay without a server", async () => {
    const modules = [fetchedModules("test/clients"), inRepository("node_modules")]
    expectAgreement(LIGHT, await recordings(place, modules, LIGHT))
  })
})
