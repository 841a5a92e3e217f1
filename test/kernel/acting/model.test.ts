import { describe, it } from "vitest"
import { modelled } from "./model.ts"

/** Many more are in `test/long/`. */
const RUNS = 10

describe("a command, wherever its kernels die", () => {
  it("goes by the table of its states, is carried out at most once, and ends once", { timeout: 120_000 }, () =>
    modelled(RUNS, 12),
  )
})
