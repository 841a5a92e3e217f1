import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, describe } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { followed } from "./page.ts"

const place = workplace()
afterAll(place.remove)
fs.mkdirSync(path.join(place.directory, "acme"))

describe("docs/guides/provide-a-model.md, followed word by word", () => {
  followed(inRepository("docs", "guides", "provide-a-model.md"), place.directory)
})
