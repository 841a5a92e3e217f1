import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { followed } from "./page.ts"
import { asking, fileOf } from "./standIn.ts"

const place = workplace()
const asked = asking(place.directory)
beforeAll(() => fs.writeFileSync(place.file("agent.py"), fileOf("agent.py")))
afterAll(place.remove)

describe("README.md, followed word by word", () => {
  followed(inRepository("README.md"), place.directory, { writes: /^hindcast (record|replay|fork|rescore)\b/ })

  it("asks a model as often as it says: twice to record, never to replay, once from the fork on", () => {
    expect(asked).toEqual(["gpt-5", "gpt-5", "gpt-5-mini"])
  })
})
