import { afterAll, describe } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { followed } from "./page.ts"

const place = workplace()
afterAll(place.remove)

describe("docs/guides/hedge-slow-requests.md, followed word by word", () => {
  followed(inRepository("docs", "guides", "hedge-slow-requests.md"), place.directory, { writes: /^node\b/ })
})
