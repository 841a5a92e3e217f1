import { Effect } from "effect"
import { it } from "vitest"
import { writeAtOnce } from "../postgres/writersTrial.ts"

it("2,000 writers of 8 processes have one order", () => Effect.runPromise(writeAtOnce(8, 250, 5)), 1_800_000)
