import { afterAll, describe } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { followed } from "./page.ts"

const place = workplace()
afterAll(place.remove)

describe("docs/guides/run-on-many-machines.md, followed word by word", () => {
  followed(inRepository("docs", "guides", "run-on-many-machines.md"), place.directory, { writes: /^node/ })
})
