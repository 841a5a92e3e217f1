import { describe, it } from "vitest"
import { modelled } from "../kernel/acting/model.ts"

describe("a command, wherever its kernels die", () => {
  it("goes by the table of its states, is carried out at most once, and ends once", { timeout: 1_800_000 }, () =>
    modelled(400, 30),
  )
})
