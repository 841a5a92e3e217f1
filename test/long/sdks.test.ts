import { afterAll, describe, it } from "vitest"
import { fetchedModules } from "../fetched.ts"
import { ALL } from "../record/sdks/agents.mjs"
import { expectAgreement, recordings } from "../record/sdks/agreement.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

describe("agents by providers' own packages for JavaScript, LangChain among them", () => {
  it("are the same in the log by fetch, by preload and by the proxy, and say the same in a replay without a server", async () => {
    expectAgreement(ALL, await recordings(place, [fetchedModules("test/sdks")], ALL))
  })
})
